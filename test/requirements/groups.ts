import type { Promises } from './requirement.js';

/** Groups that converse, and callbacks. */
export const groups: Promises = {
  'talk.round': [
    'Issue 4.7',
    'In a round-robin group the agents speak in order, each hears what the others said and who said it, until the group’s turns are used up.',
  ],
  'talk.dynamic': [
    'Issue 4.7',
    'In a dynamic group the manager names the next speaker, until an agent says the termination token or the turns are used up.',
  ],
  'talk.unclear-choice': [
    'Issue 4.7',
    'A manager that names no agent, or several, is asked once more; then the next in order speaks.',
  ],
  'talk.supervisor': [
    'Issue 4.7',
    'In a supervisor group the manager asks all agents at once with a tool that it has only in this turn, and then answers.',
  ],
  'talk.heard': [
    'Issue 4.7',
    'The transcript of each agent contains everything said in a talk once, even what came after its own last turn.',
  ],
  'talk.failed-speaker': [
    'Issue 4.7',
    'An agent whose turn fails, waits for an approval or takes too long does not end the talk: the others read that, and the talk continues.',
  ],
  'talk.deleted': [
    'Issue 4.7',
    'A talk continues without an agent that is deleted meanwhile, and ends when its manager or its group is deleted.',
  ],
  'talk.busy': [
    'Issue 4.7',
    'Talks of one group run one after another; an agent that is busy, or in two groups, takes its turns one after another.',
  ],
  'talk.repeated': ['Issue 4.7', 'A message to a group that is repeated with its key is the same talk.'],
  'talk.lost': ['Issue 4.7', 'The sweep resumes a talk whose bell or execution was lost.'],
  'talk.killed': [
    'Issue 4.7',
    'A worker that is killed at any boundary of a talk leaves the same transcripts as an undisturbed one.',
  ],
  'callback.posted': [
    'Issue 4.2',
    'A run with a callback_url posts how it ended, and shows the state of the callback; nothing waits for it.',
  ],
  'callback.retried': [
    'Issue 4.2',
    'A callback that is not accepted is tried again with the same body and key, for a day; a refused one is given up.',
  ],
  'callback.private': [
    'Issue 4.2',
    'Addresses of private networks are not called, under any name, unless a setting allows it.',
  ],
  'talk.wire': [
    'Issue 4.2',
    'A group’s response and its stream contain what each agent said, with its id and name, and the usage of all.',
  ],
  'talk.edit': [
    'Issue 4.2',
    'An edit of a group’s message changes it in the transcripts of all agents that said or heard it, and no other message with the same words.',
  ],
  'talk.list': [
    'Issue 4.2',
    'A group’s messages are listed in order, in pages, and edited by their ids; a reset removes them and no other messages of the agents.',
  ],
};
