import type { Promises } from './requirement.js';

/** Groups that converse, and what is called back. */
export const groups: Promises = {
  'talk.round': [
    'Issue 4.7',
    'In a round-robin group each agent speaks in order, having heard what the others said and by whom, for as many turns as the group has.',
  ],
  'talk.dynamic': [
    'Issue 4.7',
    'In a dynamic group the manager names who speaks next, until the termination token falls or the turns are used up.',
  ],
  'talk.unclear-choice': [
    'Issue 4.7',
    'A manager that names nobody, or several, is asked once more; then the next in order speaks.',
  ],
  'talk.supervisor': [
    'Issue 4.7',
    'In a supervisor group the manager asks all agents at once by a tool that it has for this turn alone, and then answers.',
  ],
  'talk.heard': [
    'Issue 4.7',
    'Whatever was said in a talk stands once in the transcript of each of its agents, also what came after their own last turn.',
  ],
  'talk.failed-speaker': [
    'Issue 4.7',
    'An agent whose turn fails, waits for an approval or takes too long does not end the talk: the others are told, and go on.',
  ],
  'talk.deleted': [
    'Issue 4.7',
    'A talk goes on without an agent that is deleted meanwhile, and ends where its manager or its group is.',
  ],
  'talk.busy': [
    'Issue 4.7',
    'Talks of one group come one after another; an agent that is busy, or in two groups, takes its turns one after another.',
  ],
  'talk.repeated': ['Issue 4.7', 'A message to a group that is sent again by its key is the same talk.'],
  'talk.lost': ['Issue 4.7', 'A talk whose bell or execution was lost is taken up by the sweep.'],
  'talk.killed': [
    'Issue 4.7',
    'A worker that is killed at any boundary of a talk leaves the same transcripts as one that is not.',
  ],
  'callback.posted': [
    'Issue 4.2',
    'A run that was sent with a callback_url posts how it ended, and shows what became of it; nobody waits for that.',
  ],
  'callback.retried': [
    'Issue 4.2',
    'A callback that nobody takes is tried again with the same body and key, for a day; one that is refused is given up.',
  ],
  'callback.private': [
    'Issue 4.2',
    'Addresses of private networks are not called, by whatever name, unless a setting allows it.',
  ],
  'talk.wire': [
    'Issue 4.2',
    'A group’s answer and its stream hold what each agent said, with its id and name, and the usage of all.',
  ],
  'talk.edit': [
    'Issue 4.2',
    'A message of a group is changed in the transcripts of all who said or heard it, and no other one of the same words.',
  ],
  'talk.list': [
    'Issue 4.2',
    'A group’s messages are listed as they were said, by pages, changed by their ids, and forgotten by a reset without the agents’ other messages.',
  ],
};
