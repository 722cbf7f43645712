import type { LoopStyle } from './agents.js';
import type { Message } from './messages.js';
import type { ModelRequest } from './model.js';
import { toModelMessages } from './packing.js';
import { estimateRequest, estimateTokens } from './tokens.js';

/** A model call whose tokens its provider counted. */
export interface CallSize {
  /** Prompt and answer together, in tokens. */
  readonly tokens: number;
  /** The answer's place: what comes after it was not counted. */
  readonly answerPosition: number;
}

/**
 * How many tokens a request takes: the provider's figure for the last call of its epoch and a pessimistic count of
 * what has come since, or of the whole request where there is no such figure.
 */
export function requestSize(
  request: Pick<ModelRequest, 'messages' | 'tools'>,
  transcript: {
    /** The message queue that the request was compiled from. */
    readonly messages: readonly Message[];
    readonly style: LoopStyle;
    readonly timezone: string;
    readonly measured: CallSize | undefined;
  },
): number {
  const { messages, style, timezone, measured } = transcript;
  if (measured === undefined) return estimateRequest(request.messages, request.tools);
  const since = messages.filter((message) => (message.position ?? Infinity) > measured.answerPosition);
  const fresh = toModelMessages(since, style, timezone);
  const results = since.flatMap((message) => (message.body.kind === 'tool' ? [message.body.content] : []));
  return measured.tokens + estimateRequest(fresh, []) + estimateTokens(results.join('\n'));
}
