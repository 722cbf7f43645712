import type { Promises } from './requirement.js';

/** Sleep-time agents, schedules and what is done over several threads. */
export const sleep: Promises = {
  'sleep.partner': [
    'Sleep-time',
    'An agent made with enable_sleeptime has a partner named <name>-sleeptime that shares its blocks, has a persona of its own, and stands in a group with it.',
  ],
  'sleep.chat-tools': [
    'Sleep-time',
    'The base tools of an agent with a partner speak and search; those that edit memory are the partner’s.',
  ],
  'sleep.switch': [
    'Sleep-time',
    'enable_sleeptime can be set later, taken back and set again; there is one partner in all.',
  ],
  'sleep.groups': [
    'Sleep-time',
    'Groups are created, listed, counted, read, changed and deleted over REST, with the frequency as clients of 0.1.x change it.',
  ],
  'sleep.groups-refused': [
    'Sleep-time',
    'A group of agents that do not exist, or with settings out of bounds, is refused with a sentence.',
  ],
};
