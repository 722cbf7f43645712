import type { Promises } from './requirement.js';

/** Modules of users' own: what they add to the runtime, and what becomes of their faults. */
export const extensions: Promises = {
  'ext.module': [
    'Clients 3',
    'A module of a user’s own is named by path or package; one that can’t be loaded is told in a sentence with its setting’s name.',
  ],
};
