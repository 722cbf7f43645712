import type { Promises } from './requirement.js';

/** What agents know outside their blocks: found by one tool, pinned into context, kept in a store of one's own. */
export const archival: Promises = {
  'archival.words-bounded': [
    'Memory',
    'A search by words reads a bounded part of a large archive, and finds what has its rare words.',
  ],
  'archival.words-rarity': [
    'Memory',
    'Words are ranked by their rarity in the archive that is searched: one rare word counts for more than several common ones.',
  ],
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
  'pins.locks': [
    'Memory',
    'A pin waits for no block, and a block for no pin: one that is asked for beside the other runs after it.',
  ],
  'archives.own-store': [
    'Memory',
    'Archival memory is looked for by meaning in a store of the user’s own where one is named; what it says counts only where the row is there and meant.',
  ],
  'archives.feed': [
    'Memory',
    'The store is told of every passage that comes, changes or goes, at least once, whoever wrote it and whoever feeds it; what repeats is kept once.',
  ],
  'archives.feed-kill': [
    'Memory',
    'A worker killed between the store and the database leaves the store with every passage once.',
  ],
  'archives.repair': [
    'Memory',
    'A store that lost passages, or has some that are gone, is told of them again by the next worker.',
  ],
  'archives.flat-file': ['Memory', 'The example’s file survives a process that was killed while it wrote.'],
  'archives.setting': [
    'Bad input',
    'A module that is no store is refused at the start with a sentence that names the setting.',
  ],
  'archives.outage': [
    'Bad input',
    'A store that is away is an outage: Temporal tries again, REST answers 503; its words enter no history.',
  ],
  'archives.hanging': [
    'Bad input',
    'A store that hangs is an outage after a while; until then it holds two connections of a process at most, and stopping waits for one call.',
  ],
  'archives.refused': [
    'Bad input',
    'A passage that a store refuses keeps no other out: it is logged, put aside and tried again; nor does an archive that fails keep out others.',
  ],
  'files.blocks': [
    'The wire',
    'memory.file_blocks of an agent’s state are its open files with what their windows show.',
  ],
  'rules.template': ['The wire', 'A tool rule’s prompt_template is kept and given back.'],
};
