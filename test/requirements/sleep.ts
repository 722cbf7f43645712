import type { Promises } from './requirement.js';

/** Sleep-time agents, schedules and what is done over several threads. */
export const sleep: Promises = {
  'sleep.partner': [
    'Sleep-time',
    'An agent made with enable_sleeptime has a partner named <name>-sleeptime that shares its blocks, has a persona of its own, and stands in a group with it.',
  ],
  'sleep.deleted': [
    'Sleep-time',
    'Deleting an agent deletes its partner in the same transaction: a crash leaves no partner without its agent.',
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
  'sleep.clients': [
    'Sleep-time',
    'The official clients of 0.1.x make a partner, change its frequency, and keep groups.',
  ],
  'sleep.frequency': [
    'Sleep-time',
    'The partner is woken after every n-th turn of its agent; a turn that asks for it does not wait for it.',
  ],
  'sleep.refine': [
    'Sleep-time',
    'A refinement is a workflow that has the partner read what was said since the watermark and edit the shared blocks until memory_finish_edits.',
  ],
  'sleep.once': [
    'Sleep-time',
    'Each message is reflected on exactly once: what a refinement reads is fixed at its start, and the watermark moves in the transaction of its last edit.',
  ],
  'sleep.budget': [
    'Sleep-time',
    'Steps and tokens of a refinement are bounded; tokens are reserved before each call and never passed.',
  ],
  'sleep.gutting': [
    'Sleep-time',
    'An edit that would empty or gut a block is refused, and the partner is told how much must stay.',
  ],
  'sleep.merge': [
    'Sleep-time',
    'A refinement edits a branch of the block, merged three-way at its end: what others wrote meanwhile survives.',
  ],
  'sleep.conflict': [
    'Sleep-time',
    'Where others changed the same lines the partner gets the current text and merges; where it can’t, their lines stay.',
  ],
  'sleep.review': [
    'Sleep-time',
    'With review, edits wait on their branch, are shown as a difference, and are merged three-way on approval or dropped on rejection.',
  ],
  'sleep.documents': [
    'Sleep-time',
    'Documents are worked into blocks part by part, in as many cycles as asked.',
  ],
  'sleep.passages': [
    'Sleep-time',
    'Passages that a refinement stores wait with it: they are the agent’s, with vectors of its model, once it is merged, and none is left of one that fails or is rejected.',
  ],
  'sleep.failure': [
    'Sleep-time',
    'A refinement that fails leaves blocks and watermark as they were, and never delays or fails a turn of its agent.',
  ],
  'sleep.by-hand': [
    'Sleep-time',
    'A refinement is asked for over REST and by the client, listed with its cost, its runs and its edits, and answers what it can’t do.',
  ],
  'sleep.eviction': ['Sleep-time', 'An eviction wakes the partner, unless its group does not want that.'],
  'sleep.kill': [
    'Sleep-time',
    'A worker killed at any boundary of any activity of a refinement leaves what an undisturbed one leaves: each message reflected on once, the budget kept, edits of both sides.',
  ],
  'schedule.once': ['Schedules', 'A one-time message is sent at its time, and once.'],
  'schedule.cron': [
    'Schedules',
    'A cron sends messages in its time zone; what comes while the agent is busy queues.',
  ],
  'schedule.idempotent': ['Schedules', 'One time of a schedule is one turn, whatever is repeated.'],
  'schedule.control': [
    'Schedules',
    'Schedules are paused, resumed, changed and deleted; time zone, jitter, overlap policy and catch-up window are Temporal’s.',
  ],
  'schedule.overlap': [
    'Schedules',
    'Where a time cancels the earlier one, that one’s turn is cancelled, whether it waits or runs, and no other turn of the agent.',
  ],
  'schedule.sync': [
    'Schedules',
    'Rows whose maker died before Temporal knew of them are caught up on, also past their time; schedules of deleted agents go.',
  ],
  'schedule.refinement': ['Schedules', 'A cron refines memory, over REST and by the client.'],
  'schedule.refused': [
    'Schedules',
    'A bad cron, an unknown time zone or a time gone by is refused with a sentence.',
  ],
  'schedule.preview': ['Schedules', 'The next times of a schedule are told, in its time zone.'],
  'schedule.wire': [
    'Schedules',
    'Scheduled messages are created, retrieved, listed by pages and deleted as clients of generation 1 do it.',
  ],
  'sleep.shared-blocks': [
    'Several threads',
    'A block that an agent gets later is its partner’s as well, and leaves it with the agent.',
  ],
  'sleep.examples': [
    'Several threads',
    'The examples run: a subconscious agent over a conscious one’s blocks, and tasks worked down over scheduled turns.',
  ],
};
