import { randomUUID } from 'node:crypto';
import type { Db } from '../schema/db/database.js';
import { inTransaction, waitingAt } from '../schema/db/database.js';
import { cancelTalks } from '../schema/groups/talk-forgetting.js';
import { listTalkTurns } from '../schema/groups/talk-turns.js';
import { enqueueTalk, requireTalk, type Talk } from '../schema/groups/talks.js';
import type { Bell } from './bell.js';
import { throughOutages } from './outages.js';
import type { TurnListener } from './turn-listener.js';
import { toBody } from './turns.js';
import type { Talks, Turns } from './types.js';

interface TalksDeps {
  readonly db: Db;
  readonly bell: Bell;
  readonly listener: TurnListener;
  readonly turns: Pick<Turns, 'cancel'>;
  /** Told when a group could not be woken: its message is stored, and the sweep will wake it. */
  readonly onRingFailed?: (error: unknown) => void;
}

/** How often waiting code looks at the rows, with or without a hint, in ms. */
const pollMs = 1_000;

/** Starts and follows talks of groups, through the database and the bell. */
export function createTalks({ db, bell, listener, turns, onRingFailed }: TalksDeps): Talks {
  return {
    async send(request) {
      const sent = await enqueueTalk(db, {
        id: `talk-${randomUUID()}`,
        groupId: request.groupId,
        messages: request.messages.map((message) => ({
          body: toBody(message),
          senderId: message.senderId ?? null,
          otid: message.otid ?? null,
        })),
        options: request.options ?? {},
        requestKey: request.requestKey ?? null,
        requestHash: request.requestHash ?? null,
        joinWithinMs: request.joinWithinMs ?? 0,
      });
      // Also for a repeated send: the first one may have died before it rang.
      if (!isOver(sent.talk)) {
        await bell.talk(request.groupId).catch((error: unknown) => onRingFailed?.(error));
      }
      return sent;
    },

    async *turns(talkId, { signal } = {}) {
      let seen = 0;
      while (signal?.aborted !== true) {
        const hint = listener.next(talkId, { ended: false, withinMs: pollMs, ...(signal && { signal }) });
        // In this order, so that a turn that starts before the talk is over is never missed.
        const talk = await throughOutages(() => requireTalk(db, talkId), signal);
        const given = await throughOutages(() => listTalkTurns(db, talkId), signal);
        yield* given.slice(seen);
        seen = given.length;
        if (isOver(talk)) return;
        await hint;
      }
    },

    async result(talkId, { signal } = {}) {
      for (;;) {
        const hint = listener.next(talkId, { ended: true, withinMs: pollMs, ...(signal && { signal }) });
        const talk = await throughOutages(() => requireTalk(db, talkId), signal);
        if (isOver(talk)) return talk;
        await hint;
        signal?.throwIfAborted();
      }
    },

    async cancel(groupId) {
      const turnIds = await inTransaction(waitingAt(db, groupId), (tx) => cancelTalks(tx, groupId));
      // The rows say cancelled; this tells the executions that work on them.
      for (const turnId of turnIds) await turns.cancel(turnId);
    },
  };
}

function isOver({ state }: Talk): boolean {
  return state !== 'created' && state !== 'running';
}
