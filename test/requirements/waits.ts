import type { Promises } from './requirement.js';

/** Waits and their limits. */
export const waits: Promises = {
  'waits.silent-holder': [
    'Waits',
    'A connection that locks a thread’s row and goes silent is ended after ten seconds: sends, cancels and takeovers wait no longer than 15 s.',
  ],
  'waits.refused-in-time': [
    'Waits',
    'When a row stays locked, those that wait for it fail in time: over REST with 503 and retry-after, and nothing is accepted.',
  ],
  'waits.one-row': [
    'Waits',
    'However many requests wait for one thread’s row, a server answers requests for other threads at once.',
  ],
  'waits.pool': [
    'Waits',
    'A caller that finds every connection taken fails in time, and does not wait for ever.',
  ],
  'waits.long-work': [
    'Waits',
    'Deletes and copies of any number of rows have more time than other statements.',
  ],
  'waits.retried': [
    'Waits',
    'A lock or a statement that takes too long in an activity is a retryable failure: it is tried again, and the turn continues.',
  ],
  'model.silent': [
    'Waits',
    'A model call that sends nothing for too long, before its answer or within it, is ended in time for another attempt.',
  ],
  'model.burst': [
    'Waits',
    'A model call ends when it is aborted, whatever its server has sent or is sending.',
  ],
  'model.same-key': [
    'Waits',
    'Attempts of the same model call have the same idempotency key; a different call has another one.',
  ],
  'model.too-late': [
    'Waits',
    'A model whose retry-after exceeds the time left for the turn ends the turn at once, as an unavailable one.',
  ],
  'waits.clock': ['Waits', 'A worker whose clock is wrong by minutes still summarises.'],
  'waits.talks': [
    'Waits',
    'Groups that share agents move their talks on at the same time, and never deadlock.',
  ],
  'waits.new-plan': [
    'Waits',
    'A table that is altered under running processes makes no statement fail, and no request whose message was accepted.',
  ],
  'waits.direct': [
    'Waits',
    'Behind a pooler in transaction mode, DATABASE_DIRECT_URL is used for what needs a session of its own.',
  ],
  'waits.bound': [
    'Waits',
    'Servers and workers with another namespace or task queue than the database’s refuse to start on it, and say what to do.',
  ],
  'waits.migrations': [
    'Waits',
    'A migration that waits for a table lets others pass, and is tried again until it has the table.',
  ],
};
