import type { Promises } from './requirement.js';

/** Tools that the runtime brings along beside those of the first agents. */
export const agentTools: Promises = {
  'tools.effects': [
    'Rule: story',
    'The workflow runs each tool of the runtime as its implementation needs: those that wait for the world or for agents never run as local activities.',
  ],
  'patch.places': [
    'Base tools',
    'A patch finds its places by the lines that it quotes; what is not there, or there twice, is told and nothing is written.',
  ],
  'patch.sections': [
    'Base tools',
    'A patch of several blocks adds, edits, renames and takes out blocks: all of it, or nothing.',
  ],
  'memory-tool.commands': [
    'Base tools',
    'One tool views, makes, edits, renames and takes out blocks by their paths, each edit a revision of its agent.',
  ],
  'sleep.tools': [
    'Base tools',
    'In a refinement each tool that edits memory edits the branch; blocks change when it ends, and are neither renamed nor taken out.',
  ],
  'tools.base-names': [
    'Base tools',
    'Each base tool of Letta 0.11 to 0.16 is there under its name, and each name does something.',
  ],
  'tools.code-with-tools': [
    'Base tools',
    'Code of the agent’s calls its custom Python tools, but those that need an approval; after a crash it is not run again.',
  ],
  'tools.voice': [
    'Base tools',
    'The tools of voice agents search, store and rewrite memory as the other agents’ do.',
  ],
  'tools.speaks': [
    'Agent types',
    'A custom Python tool speaks in the place of `send_message`: a rule ends the turn with it, and a request has it shown as what the agent says.',
  ],
  'memory.no-blocks': [
    'Agent types',
    'React and workflow agents are shown no blocks, and told of no changes of them.',
  ],
  'tools.one-of-a-name': [
    'Base tools',
    'An agent has one tool of a name, also where tools are attached, overridden and renamed in the same moment.',
  ],
  'fork.pins': ['Memory', 'A fork has pinned what its original has, as far as it was there then.'],
  'ext.decide-approved': [
    'Agent types',
    'An extension’s decision is asked for after a call that was approved as after any other.',
  ],
  'agentfile.ingested': [
    'Agent files',
    'Files that come with an agent file as texts are read, and what they say is found by the agent.',
  ],
  'sleep.tools-read': [
    'Base tools',
    'In a refinement a tool reads blocks as the refinement has edited them: what it read and writes back loses nothing.',
  ],
  'seeds.full-block': [
    'Letta’s clients, document 003',
    'An agent whose block is full is told so and of archival memory, and goes on: what it moves there is found again.',
  ],
  'memory-tool.refused': [
    'Base tools',
    'What can’t be done is told to the model and changes nothing: unknown or incomplete commands, read-only blocks, labels that are taken, conflicts.',
  ],
};
