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
  'scale.hints': [
    'Scale',
    'Whoever waits is told after the commit, never of what was rolled back, and not in the transaction that writes.',
  ],
  'scale.limits': [
    'Scale',
    'How much a worker does at once, and the connections of a process, can be set; what no machine could have is refused.',
  ],
  'scale.retention': [
    'Scale',
    'Steps, effects and logs of finished turns go after a time that is set, and stay for ever where none is; messages, revisions, usage and what something stands on stay.',
  ],
  'scale.sweep-pace': [
    'Scale',
    'Each part of the sweep is done by one worker at a time, and as often for fifty workers as for one; a dead one’s is taken over.',
  ],
  'scale.sweep-stuck': [
    'Scale',
    'A part of the sweep that hangs is given up, and keeps no other part from being done.',
  ],
  'scale.sweep-lost': [
    'Scale',
    'A turn whose execution was lost is found in one sweep among 10,000 that are merely slow, and not by asking Temporal about each.',
  ],
};
