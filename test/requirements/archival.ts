import type { Promises } from './requirement.js';

/** What agents know outside their blocks: found by one tool, pinned into context, kept in a store of one's own. */
export const archival: Promises = {
  'recall.unified': [
    'Memory',
    'recall searches messages, passages and files at once; each result says where it comes from, with its id, time and score, in one order by reciprocal rank.',
  ],
  'recall.filters': [
    'Memory',
    'recall is narrowed by place, role, tags and dates, in pages; a condition that only one place knows means that place.',
  ],
  'recall.loops': [
    'Memory',
    'memgpt_v2_agent has recall by itself, any other agent when asked; it works in both loops.',
  ],
  'pins.tools': [
    'Memory',
    'An agent pins and unpins passages by its tools, a program over REST; a deleted passage is unpinned by that.',
  ],
  'pins.context': [
    'Memory',
    'Pinned passages have a section of the context and are counted; within an epoch they come and go as notices.',
  ],
  'pins.limit': [
    'Memory',
    'Ten passages of 10,000 characters together can be pinned; the model and the caller are told when that is full.',
  ],
  'files.blocks': [
    'The wire',
    'memory.file_blocks of an agent’s state are its open files with what their windows show.',
  ],
  'rules.template': ['The wire', 'A tool rule’s prompt_template is kept and given back.'],
};
