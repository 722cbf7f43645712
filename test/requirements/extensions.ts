import type { Promises } from './requirement.js';

/** Modules of users' own: what they add to the runtime, and what becomes of their faults. */
export const extensions: Promises = {
  'ext.module': [
    'Clients 3',
    'A module of a user’s own is named by path or package; one that can’t be loaded is told in a sentence with its setting’s name.',
  ],
  'ext.memory': [
    'Clients 3',
    'An agent is made with a memory class: its sections, limits and tools; a tool’s edits are made under the blocks’ locks, all or none, with its result.',
  ],
  'ext.compile': [
    'Clients 3',
    'An agent’s extension compiles its prompt, anew where the extension’s version is another; where it fails the turn fails and says so.',
  ],
  'ext.decide': [
    'Clients 3',
    'An agent’s extension decides whether a turn goes on, within its limit of steps, outside of the workflow; where it fails the turn fails and says so.',
  ],
  'ext.choice': [
    'Clients 3',
    'Clients of every generation choose an agent’s extension by its metadata; one that is not loaded is refused.',
  ],
  'ext.messaging': [
    'Clients 3',
    'A tool may be declared as one that speaks: it ends the turn unless a heartbeat was asked for, and clients of every generation are shown its words, also in streams, or those of the tool and argument that they name.',
  ],
  'ext.missing': [
    'Clients 3',
    'A worker without an agent’s extension fails its turn with a sentence; without a tool’s it tells the model.',
  ],
  'ext.example': [
    'Clients 3',
    'The example of a memory class with a section and tools of its own runs as it is written.',
  ],
  'ext.faults': [
    'Clients 3',
    'A function of an extension that throws, hangs, ends its thread or answers nonsense fails its own call, and no other.',
  ],
};
