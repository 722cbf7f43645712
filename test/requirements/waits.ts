import type { Promises } from './requirement.js';

/** What waits, and for how long. */
export const waits: Promises = {
  'waits.silent-holder': [
    'Waits',
    'Who locks a thread’s row and goes silent is ended after ten seconds: sends, cancels and takeovers wait for no more than 15 s.',
  ],
  'waits.refused-in-time': [
    'Waits',
    'Where a row stays locked, who waits for it fails in time: over REST with 503 and retry-after, and nothing is accepted.',
  ],
  'waits.one-row': [
    'Waits',
    'However many requests wait for one thread’s row, a server answers those for others at once.',
  ],
  'waits.pool': ['Waits', 'Who finds every connection taken is told so in time, and does not wait for ever.'],
  'waits.long-work': [
    'Waits',
    'Deletes and copies of any number of rows have more time than other statements.',
  ],
  'waits.retried': [
    'Waits',
    'A lock or a statement that takes too long in an activity is the world’s failure: it is tried again, and the turn goes on.',
  ],
  'model.silent': [
    'Waits',
    'A model that sends nothing for too long, before its answer or within it, is given up in time for another try.',
  ],
  'model.burst': ['Waits', 'A model call ends with its signal, whatever its server has sent or sends.'],
  'model.same-key': [
    'Waits',
    'Attempts that ask a model for the same carry the same idempotency key; what asks for something else carries another.',
  ],
  'model.too-late': [
    'Waits',
    'A model that asks to be left alone for longer than its turn has time ends the turn at once, as one that can’t be asked.',
  ],
  'waits.clock': ['Waits', 'A worker whose clock is minutes off still summarises.'],
  'waits.talks': [
    'Waits',
    'Groups that share agents move their talks on at the same time, and never wait for each other in a circle.',
  ],
  'waits.new-plan': [
    'Waits',
    'A table that is changed under running processes makes no statement fail, and no request for a message that was accepted.',
  ],
  'waits.direct': [
    'Waits',
    'Behind a pooler in transaction mode, DATABASE_DIRECT_URL leads to the server for what needs a session of its own.',
  ],
  'waits.bound': [
    'Waits',
    'Servers and workers of another namespace or task queue than a database’s own refuse to start on it, and say what to do.',
  ],
  'waits.migrations': [
    'Waits',
    'A migration that waits for a table lets those behind it pass, and is tried again until it has it.',
  ],
};
