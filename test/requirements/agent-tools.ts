import type { Promises } from './requirement.js';

/** Tools that the runtime brings along beside those of the first agents. */
export const agentTools: Promises = {
  'tools.effects': [
    'Rule: story',
    'The workflow runs each built-in tool as its implementation needs: a tool that waits for other systems or for agents never runs as a local activity.',
  ],
  'patch.places': [
    'Base tools',
    'A patch finds its places by the lines that it quotes; when they are missing or occur twice, the model reads so and nothing is written.',
  ],
  'patch.sections': [
    'Base tools',
    'A patch of several blocks adds, edits, renames and deletes blocks: all of it, or nothing.',
  ],
  'memory-tool.commands': [
    'Base tools',
    'One tool views, creates, edits, renames and deletes blocks by their paths; each edit is a revision by its agent.',
  ],
  'sleep.tools': [
    'Base tools',
    'In a refinement every memory tool edits the branch; blocks change when the refinement ends, and are neither renamed nor deleted.',
  ],
  'tools.base-names': [
    'Base tools',
    'Each base tool of Letta 0.11 to 0.16 exists under its name and has an implementation.',
  ],
  'tools.code-with-tools': [
    'Base tools',
    'Code that an agent runs can call its custom Python tools, except those that need an approval; it is not run again after a crash.',
  ],
  'tools.voice': [
    'Base tools',
    'The tools of voice agents search, store and rewrite memory like those of other agents.',
  ],
  'tools.speaks': [
    'Agent types',
    'A custom Python tool can replace `send_message`: a rule ends the turn with it, and a request can have its argument shown as the agent’s words.',
  ],
  'memory.no-blocks': [
    'Agent types',
    'The context of React and workflow agents has no blocks and no notices about them.',
  ],
  'tools.one-of-a-name': [
    'Base tools',
    'An agent never has two tools of the same name, even when tools are attached, overridden and renamed at the same time.',
  ],
  'fork.pins': ['Memory', 'A fork has the pins of its original, as far as the passages existed then.'],
  'ext.decide-approved': [
    'Agent types',
    'An extension decides after an approved call as after any other call.',
  ],
  'agentfile.ingested': [
    'Agent files',
    'Files that an agent file contains as texts are ingested, and the agent finds their passages.',
  ],
  'sleep.tools-read': [
    'Base tools',
    'In a refinement a tool reads the blocks with the refinement’s edits: writing back what it read loses nothing.',
  ],
  'seeds.full-block': [
    'Letta’s clients, document 003',
    'An agent whose block is full reads so, with a hint to archival memory, and continues: what it moves there can be found.',
  ],
  'memory-tool.refused': [
    'Base tools',
    'A command that cannot be done returns an error to the model and changes nothing: unknown or incomplete commands, read-only blocks, taken labels, conflicts.',
  ],
};
