import type { LoopStyle } from '../agents/agents.js';
import type { Message } from './messages.js';
import type { ModelRequest } from '../turns/model.js';
import { toModelMessages } from './packing.js';
import { estimateRequest, estimateTokens } from './tokens.js';

/** A model call whose tokens its provider counted. */
export interface CallSize {
  /** Prompt and answer together, in tokens. */
  readonly tokens: number;
  /** What its request was estimated at. */
  readonly estimate: number;
  /** The answer's place: what comes after it was not counted. */
  readonly answerPosition: number;
}

/** What providers counted for an agent. */
export interface Measured {
  /** The last call of the thread's epoch that was sent whole. */
  readonly inEpoch?: CallSize | undefined;
  /** Tokens by their provider for each estimated one, in the agent's last call with its model; 1 before any. */
  readonly scale: number;
}

/** Of an agent that no provider has counted anything for. */
export const unmeasured: Measured = { scale: 1 };

/** Figures beyond these are a provider's mistake: no tokenizer is so far from the estimate. */
const scales = { least: 0.3, most: 3 };

/** How many tokens an estimated one is, by a call of which both figures are known. */
export function scaleOf(call: { readonly promptTokens: number; readonly estimate: number }): number {
  return Math.min(scales.most, Math.max(scales.least, call.promptTokens / call.estimate));
}

/** How large a request is. */
export interface RequestSize {
  /** In tokens, as near to the provider's count as can be told. */
  readonly tokens: number;
  /** Without the provider's figures. */
  readonly estimate: number;
}

/**
 * How many tokens a request takes: the provider's figure for the last call of its epoch and a pessimistic count of
 * what has come since, or the estimate of the whole request by the scale of the agent's last call.
 */
export function requestSize(
  request: Pick<ModelRequest, 'messages' | 'tools'>,
  transcript: {
    /** The message queue that the request was compiled from. */
    readonly messages: readonly Message[];
    readonly style: LoopStyle;
    readonly timezone: string;
    readonly measured: Measured;
  },
): RequestSize {
  const { inEpoch, scale } = transcript.measured;
  if (inEpoch === undefined) {
    const estimate = estimateRequest(request.messages, request.tools);
    return { estimate, tokens: Math.ceil(scale * estimate) };
  }
  const { tokens, estimate, answerPosition } = inEpoch;
  return {
    tokens: tokens + sizeFrom(answerPosition + 1, transcript),
    estimate: estimate + sizeFrom(answerPosition, transcript),
  };
}

function sizeFrom(
  position: number,
  { messages, style, timezone }: Parameters<typeof requestSize>[1],
): number {
  const since = messages.filter((message) => (message.position ?? Infinity) >= position);
  const packed = toModelMessages(since, style, timezone);
  // An answer that comes first is given something to follow, which the whole transcript does not have.
  const fresh =
    since[0]?.body.kind === 'assistant' && packed[1]?.role === 'assistant' ? packed.slice(1) : packed;
  // A result is packed with its answer: without it, its words are counted alone.
  const answered = new Set(fresh.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])));
  const results = since.flatMap(({ body }) =>
    body.kind === 'tool' && !answered.has(body.toolCallId) ? [body.content] : [],
  );
  return estimateRequest(fresh, []) + estimateTokens(results.join('\n'));
}
