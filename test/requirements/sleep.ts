import type { Promises } from './requirement.js';

/** Sleep-time agents, schedules and work over several threads. */
export const sleep: Promises = {
  'sleep.partner': [
    'Sleep-time',
    'An agent created with enable_sleeptime has a partner named <name>-sleeptime that shares its blocks, has its own persona, and is in a group with it.',
  ],
  'sleep.deleted': [
    'Sleep-time',
    'Deleting an agent deletes its partner in the same transaction: a crash leaves no partner without its agent.',
  ],
  'sleep.chat-tools': [
    'Sleep-time',
    'An agent with a partner has base tools to speak and to search; the partner has those that edit memory.',
  ],
  'sleep.switch': [
    'Sleep-time',
    'enable_sleeptime can be set later, unset and set again; there is never more than one partner.',
  ],
  'sleep.groups': [
    'Sleep-time',
    'Groups are created, listed, counted, read, changed and deleted over REST, including the frequency as clients of 0.1.x change it.',
  ],
  'sleep.groups-refused': [
    'Sleep-time',
    'A group of agents that do not exist, or with settings out of bounds, is refused with a sentence.',
  ],
  'sleep.clients': [
    'Sleep-time',
    'The official clients of 0.1.x create a partner, change its frequency, and manage groups.',
  ],
  'sleep.frequency': [
    'Sleep-time',
    'The partner is woken after every n-th turn of its agent; the turn does not wait for it.',
  ],
  'sleep.refine': [
    'Sleep-time',
    'A refinement is a workflow in which the partner reads the messages since the watermark and edits the shared blocks until it calls memory_finish_edits.',
  ],
  'sleep.once': [
    'Sleep-time',
    'Each message is refined exactly once: the range of a refinement is fixed at its start, and the watermark moves in the transaction of its last edit.',
  ],
  'sleep.budget': [
    'Sleep-time',
    'Steps and tokens of a refinement are bounded; tokens are reserved before each call and never exceeded.',
  ],
  'sleep.gutting': [
    'Sleep-time',
    'An edit that would empty or gut a block is refused, and the partner reads how much must stay.',
  ],
  'sleep.merge': [
    'Sleep-time',
    'A refinement edits a branch of the block, which is merged three-way at its end: what others wrote meanwhile is kept.',
  ],
  'sleep.conflict': [
    'Sleep-time',
    'When others changed the same lines, the partner gets the current text to merge; if it cannot, the others’ lines stay.',
  ],
  'sleep.review': [
    'Sleep-time',
    'With review, edits wait on their branch, are shown as a difference, and are merged three-way when accepted or dropped when rejected.',
  ],
  'sleep.documents': [
    'Sleep-time',
    'Documents are worked into blocks part by part, in the requested number of cycles.',
  ],
  'sleep.passages': [
    'Sleep-time',
    'Passages that a refinement stores belong to the agent, with vectors of its model, once the refinement is merged; a refinement that fails or is rejected leaves none.',
  ],
  'sleep.failure': [
    'Sleep-time',
    'A failed refinement leaves blocks and watermark unchanged, and never delays or fails a turn of its agent.',
  ],
  'sleep.by-hand': [
    'Sleep-time',
    'A refinement is requested over REST and by the client, and listed with its cost, its runs and its edits; an impossible request gets an error.',
  ],
  'sleep.eviction': ['Sleep-time', 'An eviction wakes the partner, unless its group declines that.'],
  'sleep.kill': [
    'Sleep-time',
    'A worker killed at any boundary of any activity of a refinement leaves the result of an undisturbed one: each message refined once, the budget kept, the edits of both sides.',
  ],
  'schedule.once': ['Schedules', 'A one-time message is sent at its time, once.'],
  'schedule.cron': [
    'Schedules',
    'A cron schedule sends messages in its time zone; they queue while the agent is busy.',
  ],
  'schedule.idempotent': ['Schedules', 'Each time of a schedule is one turn, whatever is repeated.'],
  'schedule.control': [
    'Schedules',
    'Schedules are paused, resumed, changed and deleted; time zone, jitter, overlap policy and catch-up window are Temporal’s.',
  ],
  'schedule.overlap': [
    'Schedules',
    'When the overlap policy cancels an earlier time, only its turn is cancelled, whether it waits or runs, and no other turn of the agent.',
  ],
  'schedule.sync': [
    'Schedules',
    'Schedules whose creator died before Temporal had them are created later, even after their time; schedules of deleted agents are deleted.',
  ],
  'schedule.refinement': ['Schedules', 'A cron schedule refines memory, set over REST or by the client.'],
  'schedule.refused': [
    'Schedules',
    'An invalid cron expression, an unknown time zone or a past time is refused with a sentence.',
  ],
  'schedule.preview': ['Schedules', 'The next times of a schedule are shown in its time zone.'],
  'schedule.wire': [
    'Schedules',
    'Scheduled messages are created, retrieved, listed in pages and deleted as clients of generation 1 do it.',
  ],
  'sleep.shared-blocks': [
    'Several threads',
    'A block that is attached to or detached from an agent later is attached to or detached from its partner as well.',
  ],
  'sleep.examples': [
    'Several threads',
    'The examples run: a subconscious agent that edits a conscious one’s blocks, and a list of tasks done in scheduled turns.',
  ],
};
