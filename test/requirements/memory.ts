import type { Promises } from './requirement.js';

const eviction: Promises = {
  'eviction.in-time': [
    'Memory',
    'A summariser has half of an eviction’s time, all attempts together; then the messages leave without it.',
  ],
  'eviction.rambling': ['Memory', 'A summariser that does not stop is cut off, and its beginning is used.'],
  'eviction.paid-once': [
    'Memory',
    'A part that was summarised is not paid for again by an attempt after a kill or a failure.',
  ],
  'eviction.partial': [
    'Memory',
    'Where a summariser gives up midway, what it summarised stays, and a notice counts the rest.',
  ],
  'eviction.summary-fits': [
    'Memory',
    'A summary that is longer than its block allows is cut to it; the eviction goes on.',
  ],
};

const window: Promises = {
  'window.learned': [
    'Memory',
    'A window learned from a provider’s refusal is kept for its model, and forgotten with another one.',
  ],
  'window.doubted': [
    'Memory',
    'A learned window that not even instructions and memory fit is doubted: the model is asked all the same.',
  ],
  'window.floor': ['Memory', 'A learned window is never smaller than what the model is known to take in.'],
};

const figures: Promises = {
  'memory.counted': [
    'Memory',
    'Memory figures come from counters that follow every write, at a cost that does not grow with an agent’s age.',
  ],
};

/** Context, pressure and what is outside the context. */
export const memory: Promises = { ...eviction, ...window, ...figures };
