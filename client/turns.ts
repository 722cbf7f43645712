import { randomUUID } from 'node:crypto';
import type { LoggedEvent } from '../core/turns/events.js';
import type { MessageBody } from '../core/threads/messages.js';
import type { ContentPart } from '../core/models/model.js';
import { awaitingThreads, dropApprovals, enqueueApproval } from '../schema/turns/approvals.js';
import type { Db } from '../schema/db/database.js';
import { enqueueTurn, type NewTurn } from '../schema/turns/deliveries.js';
import { callsAnsweredBy } from '../schema/turns/edges.js';
import { getMessages } from '../schema/threads/messages.js';
import { isOutage } from '../schema/db/outages.js';
import type { DeliveryKind, Turn, TurnOptions } from '../schema/turns/records.js';
import { settleTurn } from '../schema/turns/settling.js';
import { groupsAwaiting } from '../schema/groups/talk-waking.js';
import { readEvents } from '../schema/turns/events.js';
import { requireTurn } from '../schema/turns/turns.js';
import type { Bell } from './bell.js';
import { throughOutages } from './outages.js';
import type { TurnListener } from './turn-listener.js';
import type { OutgoingMessage, SendRequest, SentTurn, Turns, WatchOptions } from './types.js';

export interface TurnsDeps {
  readonly db: Db;
  readonly bell: Bell;
  readonly listener: TurnListener;
  /** Called when a thread could not be woken. Its message is stored, and the sweep will wake it. */
  readonly onRingFailed?: ((error: unknown) => void) | undefined;
}

/** How often waiting code looks at the rows, with or without a hint, in ms. */
const pollMs = 1_000;

/** Starts and follows turns, through the database and the bell. */
export function createTurns({ db, bell, listener, onRingFailed }: TurnsDeps): Turns {
  return {
    async send(request) {
      const { approvals } = request;
      const sent =
        approvals === undefined
          ? await enqueueTurn(db, toNewTurn(request))
          : await enqueueApproval(db, toNewTurn(request), approvals);
      const { interrupted } = sent.turn.options;
      // A repeated send also does both, because the first one may have died in between.
      if (interrupted !== undefined)
        await tellCancelled({ db, bell, onRingFailed }, sent.turn.threadId, interrupted);
      if (!isFinal(sent.turn)) {
        const { id: turnId, threadId, agentId } = sent.turn;
        await bell.ring({ threadId, agentId, turnId }).catch((error: unknown) => onRingFailed?.(error));
      }
      return sent satisfies SentTurn;
    },

    watch: (turnId, options) => watch({ db, listener }, turnId, options ?? {}),

    messages: (ids) => getMessages(db, ids),

    async result(turnId, options = {}) {
      for (;;) {
        const hint = listener.next(turnId, { ended: true, withinMs: pollMs, ...options });
        // An outage is waited out: the message was accepted, and an error would make its sender post it again.
        const turn = await requireTurn(db, turnId).catch(unlessOutage);
        if (turn !== undefined && isFinal(turn)) return turn;
        await hint;
        options.signal?.throwIfAborted();
      }
    },

    async cancel(turnId) {
      await requireTurn(db, turnId);
      // The row is written first: from then on the fence refuses writes of an execution that still works on the turn.
      await settleTurn(db, { turnId, stopReason: 'cancelled' });
      const turn = await requireTurn(db, turnId);
      // A repeated cancel also does this, because the first one may have died in between.
      if (turn.state === 'cancelled') await tellCancelled({ db, bell, onRingFailed }, turn.threadId, turnId);
      return turn;
    },

    async dropApprovals({ agentId, threadId, turnIds }) {
      const dropped: string[] = [];
      for (const waiting of await awaitingThreads(db, agentId)) {
        if (threadId !== undefined && waiting !== threadId) continue;
        const turnId = await dropApprovals(db, waiting, turnIds);
        if (turnId === undefined) continue;
        dropped.push(turnId);
        await bell.ring({ threadId: waiting, agentId }).catch((error: unknown) => onRingFailed?.(error));
      }
      return dropped;
    },
  };
}

/** Reports the end of a cancelled turn to its execution, to the calls that wait for it, and to its group. */
async function tellCancelled(
  { db, bell, onRingFailed }: Omit<TurnsDeps, 'listener'>,
  threadId: string,
  turnId: string,
): Promise<void> {
  const noted = (error: unknown): void => onRingFailed?.(error);
  await bell.stop({ threadId, turnId }).catch(noted);
  for (const call of await callsAnsweredBy(db, turnId)) await bell.reply(call).catch(noted);
  for (const groupId of await groupsAwaiting(db, turnId)) await bell.talk(groupId).catch(noted);
}

async function* watch(
  { db, listener }: Pick<TurnsDeps, 'db' | 'listener'>,
  turnId: string,
  { after = 0, signal }: WatchOptions,
): AsyncGenerator<LoggedEvent> {
  const patiently = <T>(read: () => Promise<T>): Promise<T> => throughOutages(read, signal);
  await patiently(() => requireTurn(db, turnId));
  let seen = after;
  while (signal?.aborted !== true) {
    const options = { ended: false, withinMs: pollMs, ...(signal === undefined ? {} : { signal }) };
    const hint = listener.next(turnId, options);
    const events = await patiently(() => readEvents(db, turnId, seen));
    for (const logged of events) {
      seen = logged.seq;
      yield logged;
      if (logged.event.kind === 'ended') return;
    }
    if (events.length > 0) continue;
    await hint;
    // Purging an agent deletes its turns: without this check, their readers would wait for ever.
    const isOver = isFinal(await patiently(() => requireTurn(db, turnId)));
    if (isOver && (await patiently(() => readEvents(db, turnId, seen, 1))).length === 0) return;
  }
}

function unlessOutage(error: unknown): undefined {
  if (!isOutage(error)) throw error;
}

function isFinal(turn: Turn): boolean {
  return turn.state !== 'created' && turn.state !== 'running';
}

function kindOf(options: TurnOptions | undefined): DeliveryKind {
  switch (options?.chore?.kind) {
    case 'compact':
    case 'reset':
      return options.chore.kind;
    case 'forget':
      return 'reset';
    case 'edit':
      return 'message_edit';
    case 'hear':
    case undefined:
      return 'message';
  }
}

function toNewTurn(request: SendRequest): NewTurn {
  return {
    turnId: `run-${randomUUID()}`,
    deliveryId: `delivery-${randomUUID()}`,
    threadId: request.threadId,
    kind: kindOf(request.options),
    messages: request.messages.map((message) => ({
      id: `message-${randomUUID()}`,
      createdAt: new Date(),
      otid: message.otid ?? null,
      senderId: message.senderId ?? null,
      body: toBody(message),
    })),
    options: request.options ?? {},
    requestKey: request.requestKey ?? null,
    requestHash: request.requestHash ?? null,
    joinWithinMs: request.joinWithinMs ?? 0,
    steer: request.whenBusy === 'steer',
    interrupts: request.whenBusy === 'interrupt',
    refusesApprovals: request.refusesApprovals ?? false,
  };
}

/** A message as the transcript holds it. */
export function toBody(message: OutgoingMessage): MessageBody {
  const content: readonly ContentPart[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  const name = message.name === undefined ? {} : { name: message.name };
  switch (message.role) {
    case 'user':
      return { kind: 'user', content, ...name };
    case 'system':
      return { kind: 'system', content, ...name };
    case 'assistant':
      return {
        kind: 'assistant',
        text: content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
        reasoning: '',
        nativeReasoning: false,
        toolCalls: [],
      };
  }
}
