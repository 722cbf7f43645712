import { loopStyle } from '../core/agents.js';
import type { Message } from '../core/messages.js';
import type { ModelMessage, ModelRequest, ModelToolCall } from '../core/model.js';
import { toModelMessages } from '../core/packing.js';
import { isUnderPressure, shortenLongMessage } from '../core/pressure.js';
import { speaksInText } from '../core/tools.js';
import { type CallSize, requestSize } from '../core/request-size.js';
import { estimateRequest } from '../core/tokens.js';
import { allowedTools, type PastCall } from '../core/tool-rules.js';
import type { Epoch } from '../schema/epochs.js';
import type { LoopAgent } from '../schema/loop-agent.js';

/** A request that fits the window. */
export interface FittedRequest {
  readonly kind: 'fits';
  readonly request: ModelRequest;
  /** Tokens of the window it was fitted to. */
  readonly window: number;
  /** Tokens of the request, the provider's figure where there is one, else a pessimistic count. */
  readonly tokens: number;
}

export interface FitInput {
  readonly agent: LoopAgent;
  readonly epoch: Epoch;
  readonly messages: readonly Message[];
  readonly window: number;
  /** The window if nothing had been learned of it from refusals. */
  readonly statedWindow: number;
  readonly measured: CallSize | undefined;
  readonly mustFit: boolean;
  /** The turn's tool calls so far, for its tool rules. */
  readonly calls: readonly PastCall[];
}

/** Compiles the context and judges whether it fits. Where it must, overlong messages lose their middle. */
export function fitRequest(
  input: FitInput,
): FittedRequest | { kind: 'pressure' } | { kind: 'prefix_too_large' } {
  const request = compileRequest(input);
  const { agent, messages, measured } = input;
  const { timezone } = agent;
  const tokens = requestSize(request, { messages, style: loopStyle(agent.agentType), timezone, measured });
  const reserve = agent.modelSettings.maxOutputTokens;
  const tight = isUnderPressure({
    tokens,
    window: input.window,
    ...(reserve === undefined ? {} : { reserve }),
  });
  if (!tight) return { kind: 'fits', request, window: input.window, tokens };
  if (!input.mustFit) return { kind: 'pressure' };
  const shortened = shorten(request, input.window) ?? shortenInDoubt(request, input);
  if (shortened === undefined) return { kind: 'prefix_too_large' };
  return {
    kind: 'fits',
    request: shortened,
    window: input.window,
    tokens: estimateRequest(shortened.messages, shortened.tools),
  };
}

function compileRequest(input: FitInput): ModelRequest {
  const { agent, epoch } = input;
  const style = loopStyle(agent.agentType);
  const names = epoch.tools.map((tool) => tool.name);
  const allowed = allowedTools(agent.toolRules, names, input.calls);
  const tools = epoch.tools.filter((tool) => allowed.names.includes(tool.name));
  const free = style === 'native' || speaksInText(agent) ? ('auto' as const) : ('required' as const);
  return {
    messages: [
      { role: 'system', content: epoch.prefix },
      ...toModelMessages(input.messages, style, agent.timezone),
    ],
    tools,
    toolChoice: tools.length === 0 ? 'none' : allowed.forced === null ? free : { name: allowed.forced },
    settings: agent.modelSettings,
  };
}

/** Characters of a message that any window should hold. */
const leastCharacters = 200;

function shorten(request: ModelRequest, window: number): ModelRequest | undefined {
  const [prefix, ...rest] = request.messages;
  if (prefix === undefined) return undefined;
  const room = 0.7 * window - estimateRequest([prefix], request.tools);
  if (room <= 0) return undefined;
  // Halved until it fits: how many characters a token has depends on the script.
  for (let cap = Math.floor(room * 2); cap >= leastCharacters; cap = Math.floor(cap / 2)) {
    const messages = [prefix, ...rest.map((message) => capped(message, cap))];
    if (estimateRequest(messages, request.tools) <= 0.9 * window) return { ...request, messages };
  }
  return undefined;
}

/** Tokens beside the prefix that make a conversation. */
const leastRoom = 2_000;

/**
 * As little as makes sense, although what was learned of the window speaks against it: one refusal too many must not
 * silence an agent for good. If the model takes it, the window is known to be larger.
 */
function shortenInDoubt(request: ModelRequest, { window, statedWindow }: FitInput): ModelRequest | undefined {
  if (statedWindow <= window) return undefined;
  const prefix = estimateRequest(request.messages.slice(0, 1), request.tools);
  return shorten(request, Math.min(statedWindow, Math.ceil((prefix + leastRoom) / 0.7)));
}

function capped(message: ModelMessage, cap: number): ModelMessage {
  switch (message.role) {
    case 'user':
      return typeof message.content === 'string'
        ? { ...message, content: shortenLongMessage(message.content, cap) }
        : {
            ...message,
            content: message.content.map((part) =>
              part.type === 'text' ? { ...part, text: shortenLongMessage(part.text, cap) } : part,
            ),
          };
    case 'assistant':
      return {
        ...message,
        content: shortenLongMessage(message.content, cap),
        toolCalls: message.toolCalls.map((call) => shortenCall(call, cap)),
      };
    case 'tool':
    case 'system':
      return { ...message, content: shortenLongMessage(message.content, cap) };
  }
}

// Cut in the middle, arguments would no longer be JSON, and providers refuse that.
function shortenCall(call: ModelToolCall, cap: number): ModelToolCall {
  if (call.arguments.length <= cap) return call;
  return { ...call, arguments: JSON.stringify({ left_out: `${call.arguments.length} characters` }) };
}
