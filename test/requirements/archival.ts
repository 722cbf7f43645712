import type { Promises } from './requirement.js';

/** What agents know outside their blocks: found by one tool, pinned into context, kept in a user's own store. */
export const archival: Promises = {
  'archival.words-bounded': [
    'Memory',
    'A search by words reads a bounded part of a large archive, and finds texts with its rare words.',
  ],
  'archival.words-rarity': [
    'Memory',
    'Words count by their rarity in the searched archive: one rare word outweighs several common ones.',
  ],
  'recall.unified': [
    'Memory',
    'recall searches messages, passages and files at once; each result says where it comes from, with its id, time and score, in one order by reciprocal rank.',
  ],
  'recall.filters': [
    'Memory',
    'recall filters by place, role, tags and dates, in pages; a filter that only one place has selects that place.',
  ],
  'recall.loops': [
    'Memory',
    'memgpt_v2_agent has recall by default, any other agent when it is attached; it works in both loops.',
  ],
  'pins.tools': [
    'Memory',
    'An agent pins and unpins passages with its tools, a program over REST; deleting a passage unpins it.',
  ],
  'pins.context': [
    'Memory',
    'Pinned passages have a section of the context and are counted; within an epoch they come and go as notices.',
  ],
  'pins.limit': [
    'Memory',
    'Ten passages with 10,000 characters in all can be pinned; beyond that the model or the caller gets an error that says so.',
  ],
  'pins.locks': [
    'Memory',
    'A pin never waits for a block, nor a block for a pin: of calls in one answer, one runs after the other.',
  ],
  'archives.own-store': [
    'Memory',
    'When a user’s own archival store is configured, searches by meaning use it; its results count only for rows that exist and belong to the search.',
  ],
  'archives.feed': [
    'Memory',
    'The store receives every insert, change and delete of a passage at least once, whichever process wrote or feeds it; repeats are stored once.',
  ],
  'archives.feed-kill': [
    'Memory',
    'A worker killed between the store and the database leaves the store with every passage once.',
  ],
  'archives.repair': ['Memory', 'A store with missing or surplus passages is repaired by the next worker.'],
  'archives.flat-file': ['Memory', 'The example’s file survives a process that is killed while writing.'],
  'archives.setting': [
    'Bad input',
    'A module that is not a store is refused at the start with a sentence that names the setting.',
  ],
  'archives.outage': [
    'Bad input',
    'An unavailable store is an outage: Temporal retries, REST answers 503; its error text enters no history.',
  ],
  'archives.hanging': [
    'Bad input',
    'A hanging store becomes an outage after a time limit; until then it holds at most two connections of a process, and a stop waits for one call.',
  ],
  'archives.refused': [
    'Bad input',
    'A passage that a store refuses blocks no other: it is logged, set aside and tried again; a failing archive blocks no other archive.',
  ],
  'files.blocks': [
    'The wire',
    'memory.file_blocks of an agent’s state lists its open files with the text of their windows.',
  ],
  'rules.template': ['The wire', 'A tool rule’s prompt_template is stored and returned.'],
};
