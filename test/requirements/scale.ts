import type { Promises } from './requirement.js';

/** What holds with millions of rows and many workers. */
export const scale: Promises = {
  'scale.foreign-keys': [
    'Scale',
    'Each foreign key has an index, so that a delete finds the rows that refer to it without a scan.',
  ],
  'scale.no-scans': [
    'Scale',
    'No statement of a turn, a list, the sweep, a delete or the purge reads a whole table of many rows.',
  ],
  'scale.hints': [
    'Scale',
    'Hints are sent after the commit, never after a rollback, and not in the transaction that writes.',
  ],
  'scale.limits': [
    'Scale',
    'Settings limit how much a worker does at once and the connections of a process; impossible values are refused.',
  ],
  'scale.retention': [
    'Scale',
    'Steps, effects and logs of finished turns are deleted after a set time, or never when none is set; messages, revisions, usage and everything still referred to stay.',
  ],
  'scale.sweep-pace': [
    'Scale',
    'One worker at a time does each part of the sweep, as often with fifty workers as with one; another takes over from a dead one.',
  ],
  'scale.sweep-stuck': ['Scale', 'A part of the sweep that hangs is given up, and blocks no other part.'],
  'scale.sweep-lost': [
    'Scale',
    'One sweep finds a turn whose execution was lost among 10,000 slow ones, without asking Temporal about each.',
  ],
};
