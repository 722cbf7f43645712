export { agentTurn } from './agent-turn.js';
export { refineMemory } from './refine-memory.js';
