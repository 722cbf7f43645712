import type { LoggedEvent, TurnEvent } from '../../core/turns/events.js';
import { derivedId } from '../../core/ids.js';
import type { Message } from '../../core/threads/messages.js';
import { finalState } from '../../core/turns/stop-reasons.js';
import { messageHead, toReplyMessages } from '../threads/messages-wire.js';
import type { WireMessage, WireMessageHead } from '../threads/message-shapes-wire.js';
import type { Rendering } from '../threads/rendering-wire.js';
import { toWireStopReason, toWireUsage, type WireStopReason, type WireUsage } from '../models/usage-wire.js';
import { answerStart, type AnswerState, renderDelta, renderRest } from './answer-chunks-wire.js';

/** The last chunk of a failed run. */
export interface WireError {
  readonly message_type: 'error_message';
  readonly run_id: string;
  readonly error_type: string;
  readonly message: string;
  readonly detail: string;
}

/**
 * Takes back what a message said, because its attempt broke off. A system message: every client of Letta reads it, and
 * none takes it for the agent's words.
 */
export type WireAbandoned = WireMessageHead & {
  readonly message_type: 'system_message';
  readonly content: string;
  /** The id of the message whose fragments are void. */
  readonly abandoned_message_id: string;
};

/** One `data:` line of a stream. */
export interface Chunk {
  /** Position in the run's stream. It grows, and is the same in every process at every time. */
  readonly seqId: number;
  readonly body: WireMessage | WireAbandoned | WireStopReason | WireUsage | WireError;
}

/** The state of rendering a stream. */
export interface StreamState {
  readonly answer: AnswerState | undefined;
  /** How many calls of the latest answer have no result yet; unknown (infinite) before the first answer. */
  readonly open: number;
  /** Results that are held back until the last one is there: they are one message. */
  readonly results: readonly Message[];
}

export const streamStart: StreamState = { answer: undefined, open: Infinity, results: [] };

export interface StreamView {
  readonly rendering: Rendering;
  /** Whether fragments are shown; else each message when it is complete. */
  readonly showsTokens: boolean;
}

/** What rendering an event needs besides the event. */
export interface EventContext {
  /** The message of a `message` event, where it still exists. */
  readonly message?: Message | undefined;
  readonly at: Date;
}

/** More than the chunks of any event, so that an event's chunks get numbers before those of the next event. */
const chunksPerEvent = 1000;

/**
 * The chunks of one event of a turn's log. Events must be rendered in order from the first one, each with the state that
 * the one before returned. Then chunks and their numbers are the same in every process at every time, so a client that
 * resumes after the last number it saw loses and repeats nothing.
 */
export function renderEvent(
  state: StreamState,
  logged: LoggedEvent,
  view: StreamView,
  context: EventContext,
): { state: StreamState; chunks: Chunk[] } {
  const rendered = renderInOrder(state, logged, view, context);
  const chunks = rendered.bodies.map((body, index) => ({
    seqId: logged.seq * chunksPerEvent + index,
    body,
  }));
  return { state: rendered.state, chunks };
}

interface Rendered {
  readonly state: StreamState;
  readonly bodies: Chunk['body'][];
}

/** Holds results back until all calls of an answer have one, or another event follows. */
function renderInOrder(
  state: StreamState,
  logged: LoggedEvent,
  view: StreamView,
  context: EventContext,
): Rendered {
  const { event } = logged;
  const message = event.kind === 'message' ? context.message : undefined;
  const isResult = message?.body.kind === 'tool' && message.stepId !== null;
  const results = isResult ? [...state.results, message] : state.results;
  const open = isResult ? state.open - 1 : state.open;
  if (isResult && open > 0) return { state: { ...state, open, results }, bodies: [] };
  const told = toReplyMessages(results, view.rendering);
  const rest = { ...state, open, results: [] };
  if (isResult) return { state: rest, bodies: told };
  const rendered = renderBodies(rest, logged, view, context);
  return { state: rendered.state, bodies: [...told, ...rendered.bodies] };
}

function renderBodies(
  state: StreamState,
  logged: LoggedEvent,
  view: StreamView,
  context: EventContext,
): Rendered {
  const { event } = logged;
  switch (event.kind) {
    case 'delta': {
      if (!view.showsTokens) return { state, bodies: [] };
      // Another id means another attempt: what the one before streamed is void.
      const isNext = state.answer?.messageId !== event.messageId;
      const before = isNext ? abandon(state, logged.turnId, context.at) : { state, bodies: [] };
      const answer = isNext ? undefined : state.answer;
      // A fragment of the broken attempt may be logged after the attempt's end.
      if (answer?.isVoid === true) return { state, bodies: [] };
      const head = { turnId: logged.turnId, at: context.at };
      const rendered = renderDelta(answer ?? answerStart(event), event, view.rendering, head);
      return {
        state: { ...before.state, answer: rendered.state },
        bodies: [...before.bodies, ...rendered.chunks],
      };
    }
    case 'message': {
      const isOfAnswer = state.answer?.messageId === event.messageId;
      const isAnother = !isOfAnswer && context.message?.body.kind === 'assistant';
      const before = isAnother ? abandon(state, logged.turnId, context.at) : { state, bodies: [] };
      return {
        state: {
          ...before.state,
          answer: isOfAnswer ? undefined : before.state.answer,
          open: callsToRun(context.message),
        },
        bodies: [...before.bodies, ...renderMessage(state, event, view, context.message)],
      };
    }
    case 'evicted':
      return {
        state,
        bodies: view.rendering.showsCompaction ? [toCompaction(logged, event, context.at)] : [],
      };
    case 'ended': {
      // An answer that was never stored does not count, however the turn ended.
      const before = abandon(state, logged.turnId, context.at);
      return { state: before.state, bodies: [...before.bodies, ...renderEnd(logged.turnId, event)] };
    }
    case 'attempt_abandoned':
    case 'retrying':
      return isOfAttempt(state.answer, event)
        ? abandon(state, logged.turnId, context.at)
        : { state, bodies: [] };
    case 'step_started':
    case 'absorbed':
      return { state, bodies: [] };
  }
}

function isOfAttempt(
  answer: AnswerState | undefined,
  { stepId, attempt }: Extract<TurnEvent, { kind: 'attempt_abandoned' | 'retrying' }>,
): boolean {
  return answer?.stepId === stepId && answer.attempt === attempt;
}

/** Takes back, once, what was shown of an unfinished answer; nothing where nothing was shown. */
function abandon(state: StreamState, turnId: string, at: Date): Rendered {
  const { answer } = state;
  if (answer === undefined || answer.isVoid) return { state, bodies: [] };
  const voided = { ...state, answer: { ...answer, isVoid: true } };
  return { state: voided, bodies: answer.isShown ? [toAbandoned(answer, turnId, at)] : [] };
}

function toAbandoned({ messageId, stepId }: AnswerState, turnId: string, createdAt: Date): WireAbandoned {
  const id = derivedId('message', messageId, 'abandoned');
  return {
    ...messageHead({ id, createdAt, otid: null, senderId: null, stepId, turnId }, 0),
    message_type: 'system_message',
    content: `The answer in message ${messageId} broke off and is void. If it is repeated, it follows under another id.`,
    abandoned_message_id: messageId,
  };
}

/** How many calls of an answer get a result in this turn; unknown (infinite) where some wait for an approval. */
function callsToRun(message: Message | undefined): number {
  if (message?.body.kind !== 'assistant') return 0;
  const { toolCalls, awaited } = message.body;
  return awaited === undefined ? toolCalls.length : Infinity;
}

function renderMessage(
  state: StreamState,
  event: Extract<TurnEvent, { kind: 'message' }>,
  view: StreamView,
  message: Message | undefined,
): WireMessage[] {
  if (message === undefined) return [];
  if (event.streamed && state.answer?.messageId === event.messageId) {
    return renderRest(state.answer, message, view.rendering);
  }
  return toReplyMessages([message], view.rendering);
}

function renderEnd(turnId: string, event: Extract<TurnEvent, { kind: 'ended' }>): Chunk['body'][] {
  const stop = toWireStopReason(event.stopReason);
  const isFailed = finalState(event.stopReason) === 'failed' && event.error !== undefined;
  if (!isFailed) return [stop, toWireUsage(event.usage, event.steps, turnId)];
  return [stop, toWireError(turnId, event.error)];
}

/** A run's failure in the form of streams. */
export function toWireError(turnId: string, error: { type: string; message: string }): WireError {
  return {
    message_type: 'error_message',
    run_id: turnId,
    error_type: error.type,
    message: error.message,
    detail: error.message,
  };
}

function toCompaction(
  logged: LoggedEvent,
  event: Extract<TurnEvent, { kind: 'evicted' }>,
  at: Date,
): WireMessage {
  const id = derivedId('message', logged.turnId, 'evicted', logged.seq);
  const head = { id, createdAt: at, otid: null, senderId: null, stepId: null, turnId: logged.turnId };
  return {
    ...messageHead(head, 0),
    message_type: 'event_message',
    event_type: 'compaction',
    event_data: {
      messages_evicted: event.messages,
      context_tokens_before: event.tokensBefore,
      context_tokens_after: event.tokensAfter,
    },
  };
}
