import { throughOutages } from '../../client/outages.js';
import { getAgent } from '../../schema/agents/agents.js';
import type { TalkTurn } from '../../schema/groups/talk-turns.js';
import type { Talk } from '../../schema/groups/talks.js';
import { requireTurn } from '../../schema/turns/turns.js';
import type { RouteContext } from '../context.js';
import { spokenBy, toNotes, toTalkUsage } from './talks.js';
import { toRendering } from '../threads/rendering-wire.js';
import { toWireStopReason } from '../models/usage-wire.js';
import { toWireError } from '../streams/chunks-wire.js';
import { readChunks } from '../streams/turn-stream.js';
import { sseComment, sseDone, toSse } from '../streams/sse.js';
import type { OnStreamBroken } from '../streams/open-streams.js';

type Deps = Pick<RouteContext, 'db' | 'turns' | 'talks' | 'extensions'> & {
  readonly onBroken: OnStreamBroken;
};

/** One reading of a talk's stream. */
export interface TalkStream {
  readonly talk: Talk;
  /** Clients of 0.1.x refuse a stop reason in a group's stream. */
  readonly showsStopReason: boolean;
}

/**
 * A talk as server-sent events, turn after turn, until it is over or the signal is aborted. One stop reason and one usage
 * at its end are for all turns together.
 */
export async function* streamTalk(
  deps: Deps,
  { talk, showsStopReason }: TalkStream,
  signal: AbortSignal,
): AsyncGenerator<string> {
  // Sent at once: the response's head waits for its first byte.
  yield sseComment;
  try {
    for await (const turn of deps.talks.turns(talk.id, { signal }))
      yield* streamTalkTurn(deps, talk, turn, signal);
    const ended = await deps.talks.result(talk.id, { signal });
    if (showsStopReason) yield toSse(toWireStopReason(ended.stopReason ?? 'error'));
    yield toSse(await throughOutages(() => toTalkUsage(deps, ended), signal));
  } catch (error) {
    if (signal.aborted) return;
    deps.onBroken(error);
    const message = `The stream broke off; the talk continues. Read its messages with GET /v1/groups/${talk.groupId}/messages.`;
    yield toSse(toWireError(talk.id, { type: 'stream_interrupted', message }), 'error');
  }
  if (!signal.aborted) yield sseDone;
}

async function* streamTalkTurn(
  deps: Deps,
  talk: Talk,
  { turnId, agentId }: TalkTurn,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const [agent, turn] = await throughOutages(
    () => Promise.all([getAgent(deps.db, agentId), requireTurn(deps.db, turnId)]),
    signal,
  );
  if (agent === undefined) return;
  const rendering = toRendering(agent, talk.options.wire, deps.extensions);
  for await (const { body } of readChunks(
    deps,
    { turn, rendering, pings: false, startingAfter: 0 },
    signal,
  )) {
    switch (body.message_type) {
      // A turn's error is shown as a note: an error event would end the client's reading while the talk goes on.
      case 'error_message':
      case 'usage_statistics':
        break;
      case 'stop_reason':
        for (const note of toNotes(agent, { turnId }, body.stop_reason)) yield toSse(note);
        break;
      default:
        yield toSse({ ...spokenBy(agent, body), run_id: turnId });
    }
  }
}
