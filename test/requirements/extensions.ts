import type { Promises } from './requirement.js';

/** Users' own modules: what they add to the runtime, and the effect of their faults. */
export const extensions: Promises = {
  'ext.module': [
    'Clients 3',
    'A user’s own module is named by path or package; one that cannot be loaded is refused with a sentence that names the setting.',
  ],
  'ext.memory': [
    'Clients 3',
    'An agent is created with a memory class: its sections, limits and tools; a tool’s edits are made under the blocks’ locks, all or none, with its result.',
  ],
  'ext.compile': [
    'Clients 3',
    'An agent’s extension compiles its prompt, again when the extension’s version changes; if it fails, the turn fails and says so.',
  ],
  'ext.decide': [
    'Clients 3',
    'An agent’s extension decides whether a turn continues, within its step limit, outside of the workflow; if it fails, the turn fails and says so.',
  ],
  'ext.choice': [
    'Clients 3',
    'Clients of every generation choose an agent’s extension by its metadata; one that is not loaded is refused.',
  ],
  'ext.messaging': [
    'Clients 3',
    'A tool can be declared a messaging tool: it ends the turn unless it requests a heartbeat, and clients of every generation get its words, also in streams, or those of the tool and argument that they name.',
  ],
  'ext.missing': [
    'Clients 3',
    'A worker without an agent’s extension fails the turn with a sentence; without a tool’s extension the model reads an error.',
  ],
  'ext.example': [
    'Clients 3',
    'The example of a memory class with a section and tools of its own runs unchanged.',
  ],
  'ext.faults': [
    'Clients 3',
    'A function of an extension that throws, hangs, ends its thread or returns nonsense fails only its own call.',
  ],
};
