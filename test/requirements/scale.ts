import type { Promises } from './requirement.js';

/** What holds with millions of rows and many workers. */
export const scale: Promises = {
  'scale.foreign-keys': [
    'Scale',
    'Whatever is deleted, what points at it is found by an index: each foreign key has one.',
  ],
  'scale.no-scans': [
    'Scale',
    'No statement of a turn, a list, the sweep, a delete or the purge reads a whole table of many rows.',
  ],
};
