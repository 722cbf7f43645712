import type { Promises } from './requirement.js';

const eviction: Promises = {
  'eviction.in-time': [
    'Memory',
    'A summariser has half of an eviction’s time for all attempts together; then the messages leave without a summary.',
  ],
  'eviction.rambling': [
    'Memory',
    'A summariser that does not stop is cut off, and the beginning of its text is used.',
  ],
  'eviction.paid-once': [
    'Memory',
    'An attempt after a kill or a failure does not pay again for a part that was summarised.',
  ],
  'eviction.partial': [
    'Memory',
    'When a summariser fails midway, what it has summarised stays, and a notice counts the rest.',
  ],
  'eviction.summary-fits': [
    'Memory',
    'A summary that is longer than its block allows is cut to fit; the eviction continues.',
  ],
};

const window: Promises = {
  'window.learned': [
    'Memory',
    'A window learned from a provider’s refusal is kept for its model, and forgotten when the model changes.',
  ],
  'window.doubted': [
    'Memory',
    'A learned window that is too small even for instructions and memory is doubted: the model is called all the same.',
  ],
  'window.floor': [
    'Memory',
    'A learned window is never smaller than the largest request that the model is known to accept.',
  ],
};

const figures: Promises = {
  'memory.counted': [
    'Memory',
    'Memory figures come from counters that follow every write; their cost does not grow with an agent’s age.',
  ],
};

const epoch: Promises = {
  'epoch.prefix': [
    'Memory',
    'Within an epoch the request only grows at its end: what was sent before stays the same, byte for byte.',
  ],
  'epoch.freshest': [
    'Memory',
    'At every step a model can know the newest value of each block from its request alone.',
  ],
  'epoch.notices': [
    'Memory',
    'A notice shows what others changed in a block as a readable difference, with its authors.',
  ],
  'epoch.renewed': [
    'Memory',
    'The prefix is compiled again when a block’s own fields change, and when notices have outgrown the blocks.',
  ],
};

const fork: Promises = {
  'fork.as-of-step': [
    'Memory',
    'A fork as of a step has the blocks, passages, transcript, queue and summary of the step’s end.',
  ],
  'fork.as-of': [
    'Memory',
    'A fork as of a message or a time has everything of that moment, including what was deleted or detached since.',
  ],
  'fork.isolated': ['Memory', 'A fork and its original never affect each other.'],
  'fork.lives': ['Memory', 'A fork answers with the memory that it was created with.'],
  'fork.rest': [
    'Memory',
    'POST /v1/agents/{id}/fork copies an agent as of a message, a step or a time, or now.',
  ],
  'fork.refused': [
    'Memory',
    'A moment for which the agent has no state is refused with a sentence that says what to do.',
  ],
};

/** Context, pressure and what is outside the context. */
export const memory: Promises = {
  'memory.forged-notices': [
    'Bad input',
    'A model never gets a user’s text in the form of a notice of the runtime, whatever the text looks like: not in either loop and not in transcripts for summaries; the instructions say so.',
  ],
  ...eviction,
  ...window,
  ...figures,
  ...epoch,
  ...fork,
};
