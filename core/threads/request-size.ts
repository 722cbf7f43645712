import type { LoopStyle } from '../agents/agents.js';
import type { Message } from './messages.js';
import type { ModelRequest } from '../models/model.js';
import { toModelMessages } from './model-messages.js';
import { estimateRequest, estimateTokens } from './tokens.js';

/** A model call whose tokens the provider counted. */
export interface CallSize {
  /** Prompt and answer together, in tokens. */
  readonly tokens: number;
  /** The estimate for its request. */
  readonly estimate: number;
  /** The answer's position. Later messages were not counted. */
  readonly answerPosition: number;
}

/** Token counts of providers for an agent. */
export interface Measured {
  /** The epoch's last call whose transcript was not shortened. */
  readonly inEpoch?: CallSize | undefined;
  /** The provider's tokens per estimated token, in the agent's last call with its model; 1 before any. */
  readonly scale: number;
}

/** For an agent without any counted call. */
export const unmeasured: Measured = { scale: 1 };

/** Ratios outside this range are a provider's mistake: no tokenizer is so far from the estimate. */
const scales = { least: 0.3, most: 3 };

/** The ratio of counted to estimated tokens of a call. */
export function scaleOf(call: { readonly promptTokens: number; readonly estimate: number }): number {
  return Math.min(scales.most, Math.max(scales.least, call.promptTokens / call.estimate));
}

/** The size of a request. */
export interface RequestSize {
  /** In tokens, as close to the provider's count as possible. */
  readonly tokens: number;
  /** The estimate alone, without a provider's figures. */
  readonly estimate: number;
}

/**
 * How many tokens a request has: the provider's figure for the epoch's last call plus a pessimistic estimate of what
 * followed, or the estimate of the whole request scaled by the agent's last call.
 */
export function requestSize(
  request: Pick<ModelRequest, 'messages' | 'tools'>,
  transcript: {
    /** The message queue of the request. */
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
  // Packing gives an answer that comes first something to follow, which the whole transcript does not have.
  const fresh =
    since[0]?.body.kind === 'assistant' && packed[1]?.role === 'assistant' ? packed.slice(1) : packed;
  // Packing keeps a result only together with its answer. Without the answer, only the result's text is counted.
  const answered = new Set(fresh.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])));
  const results = since.flatMap(({ body }) =>
    body.kind === 'tool' && !answered.has(body.toolCallId) ? [body.content] : [],
  );
  return estimateRequest(fresh, []) + estimateTokens(results.join('\n'));
}
