export { agentTurn } from './agent-turn.js';
export { refineMemory } from './refine-memory.js';
export { ingestFile } from './ingest-file.js';
export { activityTool } from './activity-tool.js';
export { sendScheduled } from './send-scheduled.js';
export { reportTurn } from './report-turn.js';
export { groupTalk } from './group-talk.js';
