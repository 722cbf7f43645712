import { loopStyle } from '../../core/agents/agents.js';
import type { Message } from '../../core/threads/messages.js';
import type { ModelMessage, ModelRequest, ToolSchema } from '../../core/models/model.js';
import { toolsAllowed } from '../../core/tools/offered-tools.js';
import { toModelMessages } from '../../core/threads/model-messages.js';
import { fullAt, isUnderPressure } from '../../core/threads/pressure.js';
import { type Measured, requestSize } from '../../core/threads/request-size.js';
import { shortenTranscript } from '../../core/threads/shortening.js';
import { estimateRequest } from '../../core/threads/tokens.js';
import type { PastCall } from '../../core/agents/tool-rules.js';
import type { Epoch } from '../../schema/threads/epochs.js';
import type { LoopAgent } from '../../schema/threads/loop-agent.js';

/** A request that fits the window. */
export interface FittedRequest {
  readonly kind: 'fits';
  readonly request: ModelRequest;
  /** The window that it fits, in tokens. */
  readonly window: number;
  /** The request's tokens, as close to the provider's count as possible. */
  readonly tokens: number;
  /** The estimate alone, to compare with the provider's count. */
  readonly estimate: number;
  /** Whether the transcript was shortened. Then the provider's count says nothing about the next request. */
  readonly shortened: boolean;
}

export interface FitInput {
  readonly agent: LoopAgent;
  readonly epoch: Epoch;
  readonly messages: readonly Message[];
  readonly window: number;
  /** The window without what refusals taught. */
  readonly statedWindow: number;
  readonly measured: Measured;
  readonly mustFit: boolean;
  /** The turn's tool calls so far, for its tool rules. */
  readonly calls: readonly PastCall[];
}

/** Compiles the context and checks whether it fits. With `mustFit`, it is shortened until it does. */
export function fitRequest(
  input: FitInput,
): FittedRequest | { kind: 'pressure' } | { kind: 'prefix_too_large' } {
  const request = compileRequest(input);
  const { agent, messages, measured } = input;
  const { timezone } = agent;
  const size = requestSize(request, { messages, style: loopStyle(agent.agentType), timezone, measured });
  const reserve = agent.modelSettings.maxOutputTokens;
  const tight = isUnderPressure({ tokens: size.tokens, window: input.window, reserve });
  if (!tight) return { kind: 'fits', request, window: input.window, ...size, shortened: false };
  if (!input.mustFit) return { kind: 'pressure' };
  const shortened = shorten(request, input, input.window) ?? shortenInDoubt(request, input);
  if (shortened === undefined) return { kind: 'prefix_too_large' };
  const estimate = estimateRequest(shortened.messages, shortened.tools);
  const tokens = Math.ceil(measured.scale * estimate);
  return { kind: 'fits', request: shortened, window: input.window, tokens, estimate, shortened: true };
}

function compileRequest(input: FitInput): ModelRequest {
  const { agent, epoch } = input;
  const style = loopStyle(agent.agentType);
  return {
    messages: [
      { role: 'system', content: epoch.prefix },
      ...toModelMessages(input.messages, style, agent.timezone),
    ],
    ...toolsAllowed(agent, epoch.tools, input.calls),
    settings: agent.modelSettings,
  };
}

/** The share of the window at which shortening starts. */
const shortenedShare = 0.7;

function shorten(request: ModelRequest, input: FitInput, window: number): ModelRequest | undefined {
  const [prefix, ...rest] = request.messages;
  if (prefix === undefined) return undefined;
  const sizeOf = (messages: readonly ModelMessage[]): number => estimatedSize(messages, request.tools, input);
  const most = fullAt({ window, reserve: input.agent.modelSettings.maxOutputTokens });
  const shortened = shortenTranscript(rest, {
    characters: 2 * (shortenedShare * window - sizeOf([prefix])),
    fits: (messages) => sizeOf([prefix, ...messages]) <= most,
  });
  return shortened === undefined ? undefined : { ...request, messages: [prefix, ...shortened] };
}

function estimatedSize(
  messages: readonly ModelMessage[],
  tools: readonly ToolSchema[],
  { measured }: FitInput,
): number {
  return Math.ceil(measured.scale * estimateRequest(messages, tools));
}

/** The least tokens for a conversation beside the prefix. */
const leastRoom = 2_000;

/**
 * The shortest useful request, sent even though the learned window says it won't fit, so that a wrong refusal can't
 * silence an agent forever. If the model accepts it, the window is known to be larger.
 */
function shortenInDoubt(request: ModelRequest, input: FitInput): ModelRequest | undefined {
  const { window, statedWindow } = input;
  if (statedWindow <= window) return undefined;
  const prefix = estimatedSize(request.messages.slice(0, 1), request.tools, input);
  return shorten(request, input, Math.min(statedWindow, Math.ceil((prefix + leastRoom) / shortenedShare)));
}
