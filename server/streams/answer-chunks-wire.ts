import type { TurnEvent } from '../../core/turns/events.js';
import type { Message } from '../../core/threads/messages.js';
import {
  messageHead,
  type MessagePart,
  reasoningPart,
  spokenPart,
  textPart,
  toWireMessages,
} from '../threads/messages-wire.js';
import type { WireMessage } from '../threads/message-shapes-wire.js';
import type { Rendering } from '../threads/rendering-wire.js';
import { type CallPiece, callStart, type CallState, readCall } from './call-fragments.js';

type Delta = Extract<TurnEvent, { kind: 'delta' }>;

/** An answer that is being streamed: what was shown of it, so that nothing is repeated at its end. */
export interface AnswerState {
  readonly messageId: string;
  readonly stepId: string;
  readonly attempt: number;
  /** Whether any of it was shown. */
  readonly isShown: boolean;
  /** Its attempt broke off; nothing more of it is shown. */
  readonly isVoid: boolean;
  readonly calls: ReadonlyMap<number, CallState>;
  /** Keys of the parts begun so far, in the order that `otid` counts. */
  readonly parts: readonly string[];
}

/** Fields of a chunk whose message is not stored yet. */
export interface ChunkHead {
  readonly turnId: string;
  /** The time of streaming: the answer has no time of its own yet. */
  readonly at: Date;
}

/** The state before this fragment, the first of its answer. */
export function answerStart({ messageId, stepId, attempt }: Delta): AnswerState {
  return {
    ...{ messageId, stepId, attempt },
    ...{ isShown: false, isVoid: false, calls: new Map(), parts: [] },
  };
}

/** The chunks of one fragment, under the id that the whole answer will have. */
export function renderDelta(
  state: AnswerState,
  event: Delta,
  rendering: Rendering,
  head: ChunkHead,
): { state: AnswerState; chunks: WireMessage[] } {
  const { calls, pieces } = readDelta(state, event, rendering);
  const parts = [...state.parts];
  const chunks = pieces.flatMap(({ key, part }): WireMessage[] => {
    if (!parts.includes(key)) parts.push(key);
    if (!(rendering.types?.has(part.message_type) ?? true)) return [];
    const stored = {
      id: event.messageId,
      createdAt: head.at,
      otid: null,
      senderId: null,
      stepId: event.stepId,
      turnId: head.turnId,
    };
    return [{ ...messageHead(stored, parts.indexOf(key)), ...part }];
  });
  const isShown = state.isShown || chunks.length > 0;
  return { state: { ...state, isShown, calls, parts }, chunks };
}

/** The rest of a streamed answer, once it is stored: calls of which nothing was shown. */
export function renderRest(state: AnswerState, message: Message, rendering: Rendering): WireMessage[] {
  const { body } = message;
  if (body.kind !== 'assistant') return [];
  const shown = new Set([...state.calls.values()].filter((call) => call.isShown).map((call) => call.id));
  const rest = body.toolCalls.filter((call) => !shown.has(call.id));
  if (rest.length === 0) return [];
  return toWireMessages(
    { ...message, body: { ...body, reasoning: '', text: '', toolCalls: rest } },
    rendering,
  );
}

interface Piece {
  readonly key: string;
  readonly part: MessagePart;
}

function readDelta(
  state: AnswerState,
  event: Delta,
  rendering: Rendering,
): { calls: ReadonlyMap<number, CallState>; pieces: Piece[] } {
  const { delta } = event;
  switch (delta.kind) {
    case 'reasoning':
      return { calls: state.calls, pieces: [{ key: 'reasoning', part: reasoningPart(delta.text, true) }] };
    case 'text':
      return {
        calls: state.calls,
        pieces: [
          { key: 'text', part: textPart(delta.text, delta.spoken === true ? 'native' : rendering.style) },
        ],
      };
    case 'tool_call': {
      const read = readCall(state.calls.get(delta.index) ?? callStart, delta, rendering);
      const calls = new Map(state.calls).set(delta.index, read.state);
      const waits = rendering.waiting.has(read.state.name);
      return { calls, pieces: read.pieces.map((piece) => toPiece(piece, delta.index, waits)) };
    }
  }
}

function toPiece(piece: CallPiece, index: number, waits: boolean): Piece {
  switch (piece.kind) {
    case 'thought':
      return { key: 'reasoning', part: reasoningPart(piece.text, false) };
    case 'words':
      return { key: `call ${index}`, part: spokenPart(piece.text, piece.tool) };
    case 'arguments': {
      const shown = { name: piece.name, arguments: piece.text, tool_call_id: piece.callId };
      // As in the stored answer: calls are one message, and calls that wait another one.
      return {
        key: waits ? 'waiting calls' : 'calls',
        part: {
          message_type: waits ? 'approval_request_message' : 'tool_call_message',
          tool_call: shown,
          tool_calls: [shown],
        },
      };
    }
  }
}
