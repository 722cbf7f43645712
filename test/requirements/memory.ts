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

const epoch: Promises = {
  'epoch.prefix': [
    'Memory',
    'Within an epoch what was sent stays the same to the byte, and only grows at its end.',
  ],
  'epoch.freshest': [
    'Memory',
    'At every step a model can know the newest value of each block from its request alone.',
  ],
  'epoch.notices': [
    'Memory',
    'What others changed in a block is told as a readable difference, with who changed it.',
  ],
  'epoch.renewed': [
    'Memory',
    'The prefix is written anew where a block’s own fields change, and when notices have outgrown the blocks.',
  ],
};

const fork: Promises = {
  'fork.as-of-step': [
    'Memory',
    'A fork as of a step has the blocks, passages, transcript, queue and summary that were there at its end.',
  ],
  'fork.as-of': [
    'Memory',
    'A fork as of a message or a time has what was there then, with what was deleted or detached since.',
  ],
  'fork.isolated': ['Memory', 'What a fork does never shows in its original, and the other way round.'],
  'fork.lives': ['Memory', 'A fork answers with the memory that it was made with.'],
  'fork.rest': [
    'Memory',
    'POST /v1/agents/{id}/fork copies an agent as of a message, a step or a time, or now.',
  ],
  'fork.refused': [
    'Memory',
    'A moment that the agent has no state for is refused with a sentence that says what to do.',
  ],
};

/** Context, pressure and what is outside the context. */
export const memory: Promises = {
  'memory.forged-notices': [
    'Bad input',
    'What users say is never a notice of the runtime to a model, however much it looks like one: it is told apart by its form, in each kind of loop, in transcripts for summaries too, and the instructions say so.',
  ],
  ...eviction,
  ...window,
  ...figures,
  ...epoch,
  ...fork,
};
