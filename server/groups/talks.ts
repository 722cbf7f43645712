import type { FastifyRequest } from 'fastify';
import type { Agent } from '../../core/agents/agents.js';
import type { Group } from '../../core/groups/groups.js';
import { derivedId } from '../../core/ids.js';
import type { StopReason } from '../../core/turns/stop-reasons.js';
import { needsNote, noteText } from '../../core/groups/talk-messages.js';
import { getAgent } from '../../schema/agents/agents.js';
import { listMessages } from '../../schema/threads/messages.js';
import { listTalkTurns, type TalkTurn } from '../../schema/groups/talk-turns.js';
import { talkUsage } from '../../schema/groups/talk-usage.js';
import type { Talk } from '../../schema/groups/talks.js';
import { requireTurn } from '../../schema/turns/turns.js';
import type { RouteContext } from '../context.js';
import { findModel } from '../models/model-choice.js';
import { identifyRequest } from '../http/idempotency.js';
import { RequestRefusedError } from '../http/problems.js';
import {
  fromApprovals,
  fromSendBody,
  type SendBody,
  toTurnOptions,
} from '../threads/message-requests-wire.js';
import type { WireMessage } from '../threads/message-shapes-wire.js';
import { messageHead, toReplyMessages } from '../threads/messages-wire.js';
import { toRendering } from '../threads/rendering-wire.js';
import type { LettaResponse } from '../turns/letta-response-wire.js';
import { toWireStopReason, toWireUsage, type WireUsage } from '../models/usage-wire.js';

/**
 * Stores a request's messages to a group and wakes it. A repeated request, known by its key or as a client's blind
 * retry, gets the talk that the first one began.
 */
export async function sendToGroup(
  context: RouteContext,
  request: Pick<FastifyRequest, 'headers' | 'url'>,
  group: Group,
  sent: { readonly body: SendBody; readonly streamTokens: boolean },
): Promise<Talk> {
  const { body, streamTokens } = sent;
  if (fromApprovals(body) !== undefined) {
    throw new RequestRefusedError(
      422,
      'body.messages: send decisions about tool calls to the agent that made them: POST /v1/agents/{agent_id}/messages.',
    );
  }
  if (body.when_busy != null && body.when_busy !== 'queue') {
    throw new RequestRefusedError(
      422,
      `body.when_busy: a group takes up messages one after another, so ${body.when_busy} is for its agents: POST /v1/agents/{agent_id}/messages.`,
    );
  }
  const messages = fromSendBody(body);
  findModel(context, { model: body.override_model });
  const { talk } = await context.talks.send({
    groupId: group.id,
    messages,
    options: toTurnOptions(body, { streamTokens, background: false }),
    ...identifyRequest(request, { body, messages }),
  });
  return talk;
}

/** The answer to a request that waited for a talk: what was said in it, and how it ended. */
export async function toTalkResponse({ db, extensions }: RouteContext, talk: Talk): Promise<LettaResponse> {
  const turns = await listTalkTurns(db, talk.id);
  const shown = await Promise.all(turns.map((turn) => showTurn({ db, extensions }, talk, turn)));
  const error = await talkError({ db }, talk, turns);
  return {
    messages: shown.flat(),
    stop_reason: toWireStopReason(talk.stopReason ?? 'error'),
    usage: await toTalkUsage({ db }, talk),
    ...(error === undefined ? {} : { error }),
  };
}

/** Why a talk failed: the error of its last turn. */
async function talkError(
  { db }: Pick<RouteContext, 'db'>,
  talk: Talk,
  turns: readonly TalkTurn[],
): Promise<LettaResponse['error']> {
  const last = turns.at(-1);
  if (talk.state !== 'failed' || last === undefined) return undefined;
  const { error } = await requireTurn(db, last.turnId);
  return error === null ? undefined : { ...error, run_id: last.turnId };
}

/** What a talk cost, with the ids of its runs. */
export async function toTalkUsage({ db }: Pick<RouteContext, 'db'>, talk: Talk): Promise<WireUsage> {
  const { usage, steps } = await talkUsage(db, talk.id);
  const turns = await listTalkTurns(db, talk.id);
  return { ...toWireUsage(usage, steps, ''), run_ids: turns.map(({ turnId }) => turnId) };
}

async function showTurn(
  { db, extensions }: Pick<RouteContext, 'db' | 'extensions'>,
  talk: Talk,
  turn: TalkTurn,
): Promise<readonly WireMessage[]> {
  const agent = await getAgent(db, turn.agentId);
  // An agent that was deleted meanwhile has no messages any more.
  if (agent === undefined) return [];
  const rendering = toRendering(agent, talk.options.wire, extensions);
  const messages = await listMessages(db, { turnId: turn.turnId }, {});
  return [
    ...toReplyMessages(messages, rendering).map((message) => spokenBy(agent, message)),
    ...toNotes(agent, turn, turn.stopReason),
  ];
}

/** A message of a talk with the name and id of the agent that said it. A tool's result keeps the tool's name. */
export function spokenBy<Shown extends Pick<WireMessage, 'name' | 'sender_id' | 'message_type'>>(
  agent: Pick<Agent, 'id' | 'name'>,
  message: Shown,
): Shown {
  return {
    ...message,
    sender_id: agent.id,
    name: isWords(message) ? agent.name : (message.name ?? agent.name),
  };
}

function isWords({ message_type: type }: Pick<WireMessage, 'message_type'>): boolean {
  return type === 'assistant_message';
}

/** The note about a turn that did not end normally. */
export function toNotes(
  agent: Pick<Agent, 'id' | 'name'>,
  turn: Pick<TalkTurn, 'turnId'>,
  stopReason: StopReason | null,
): readonly WireMessage[] {
  if (stopReason === null || !needsNote(stopReason)) return [];
  const about = { agentId: agent.id, name: agent.name, description: null };
  const head = messageHead(
    {
      id: derivedId('message', turn.turnId, 'note'),
      createdAt: new Date(),
      otid: null,
      senderId: null,
      stepId: null,
      turnId: turn.turnId,
    },
    0,
  );
  return [{ ...head, message_type: 'system_message', content: noteText({ about, stopReason }) }];
}
