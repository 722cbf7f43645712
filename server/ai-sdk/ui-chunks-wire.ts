import { without } from '../http/fields-wire.js';
import type { Chunk } from '../streams/chunks-wire.js';
import type { WireMessage } from '../threads/message-shapes-wire.js';

/** One chunk of the AI SDK's UI message stream: https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol. */
export type UiChunk =
  | {
      readonly type: 'start';
      readonly messageId: string;
      readonly messageMetadata: { readonly run_id: string };
    }
  | { readonly type: 'start-step' | 'finish-step' | 'abort' }
  | {
      readonly type: 'text-start' | 'reasoning-start';
      readonly id: string;
      /** Which message of the agent it is part of, for `data-abandoned`. */
      readonly providerMetadata: { readonly perdure: { readonly message_id: string } };
    }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'text-end' | 'reasoning-end'; readonly id: string }
  | (Tool & { readonly type: 'tool-input-start' })
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly inputTextDelta: string }
  | (Tool & { readonly type: 'tool-input-available'; readonly input: unknown })
  | (Tool & { readonly type: 'tool-input-error'; readonly input: unknown; readonly errorText: string })
  | { readonly type: 'tool-approval-request'; readonly approvalId: string; readonly toolCallId: string }
  | (Ran & { readonly type: 'tool-output-available'; readonly output: unknown })
  | (Ran & { readonly type: 'tool-output-error'; readonly errorText: string })
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  /** The named message broke off: what was shown of it is void. */
  | { readonly type: 'data-abandoned'; readonly id: string; readonly data: { readonly message_id: string } }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'finish'; readonly messageMetadata: Readonly<Record<string, unknown>> };

/** The server runs its tools itself, and pages don't know them beforehand. */
interface Ran {
  readonly toolCallId: string;
  readonly dynamic: true;
  readonly providerExecuted: true;
}
type Tool = Ran & { readonly toolName: string };

interface Call {
  readonly name: string;
  readonly messageId: string;
  /** Its arguments so far, as JSON. */
  readonly text: string;
  readonly isWhole: boolean;
  /** Whether it waits for an approval. */
  readonly asks: boolean;
}

/** The calls that a page has already when it goes on after an approval. */
export interface ShownCalls {
  readonly ids: ReadonlySet<string>;
  readonly denied: ReadonlySet<string>;
}

/** Writes a turn's stream as UI chunks. Each body of the stream must be given once, in order. */
export function createUiWriter(shown: ShownCalls): { write(body: Chunk['body']): readonly UiChunk[] } {
  let part: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined;
  let stepId: string | undefined;
  let stopReason = '';
  const calls = new Map<string, Call>();

  const endPart = (): UiChunk[] => {
    const ended = part;
    part = undefined;
    return ended === undefined ? [] : [{ type: `${ended.kind}-end`, id: ended.id }];
  };
  const endStep = (): UiChunk[] => {
    const isOpen = stepId !== undefined;
    stepId = undefined;
    return [...endPart(), ...endCalls(calls), ...(isOpen ? [{ type: 'finish-step' } as const] : [])];
  };
  const inStep = (message: { readonly step_id: string | null }): UiChunk[] => {
    if (message.step_id === null || message.step_id === stepId) return [];
    const ended = endStep();
    stepId = message.step_id;
    return [...ended, { type: 'start-step' }];
  };
  const say = (kind: 'text' | 'reasoning', message: WireMessage, delta: string): UiChunk[] => {
    const id = message.otid ?? message.id;
    const begun = part?.id === id ? [] : [...endPart(), toStart(kind, id, message.id)];
    part = { kind, id };
    return [...begun, { type: `${kind}-delta`, id, delta }];
  };

  return {
    write(body) {
      switch (body.message_type) {
        case 'assistant_message':
          return [...inStep(body), ...endCalls(calls), ...say('text', body, body.content)];
        case 'reasoning_message':
          return [...inStep(body), ...say('reasoning', body, body.reasoning)];
        case 'tool_call_message':
        case 'approval_request_message':
          return [...inStep(body), ...endPart(), ...addCalls(calls, body)];
        case 'tool_return_message':
          return [...endPart(), ...endCalls(calls), ...toOutputs(body, calls, shown)];
        case 'system_message':
          if (!('abandoned_message_id' in body)) return [];
          return [...endPart(), ...abandon(calls, body.abandoned_message_id)];
        case 'stop_reason':
          stopReason = body.stop_reason;
          return [...endStep(), ...(stopReason === 'cancelled' ? [{ type: 'abort' } as const] : [])];
        case 'error_message':
          return [...endStep(), { type: 'error', errorText: body.message }];
        case 'usage_statistics': {
          const usage = without(body, 'message_type');
          return stopReason === 'cancelled'
            ? []
            : [{ type: 'finish', messageMetadata: { stop_reason: stopReason, usage } }];
        }
        default:
          return [];
      }
    },
  };
}

function toStart(kind: 'text' | 'reasoning', id: string, messageId: string): UiChunk {
  return { type: `${kind}-start`, id, providerMetadata: { perdure: { message_id: messageId } } };
}

/** Adds fragments of calls, or whole calls. A call is reported as complete as soon as its arguments are valid JSON. */
function addCalls(
  calls: Map<string, Call>,
  message: Extract<WireMessage, { message_type: 'tool_call_message' | 'approval_request_message' }>,
): UiChunk[] {
  return message.tool_calls.flatMap(({ tool_call_id: id, name, arguments: text }): UiChunk[] => {
    if (id === null) return [];
    const asks = message.message_type === 'approval_request_message';
    const known = calls.get(id);
    const begun = known ?? { name: name ?? '', messageId: message.id, text: '', isWhole: false, asks };
    const call = { ...begun, text: begun.text + (text ?? '') };
    calls.set(id, call);
    return [
      ...(known === undefined ? [{ type: 'tool-input-start', ...toTool(id, call) } as const] : []),
      ...(text === null || text === ''
        ? []
        : [{ type: 'tool-input-delta', toolCallId: id, inputTextDelta: text } as const]),
      ...(parse(call.text) === undefined ? [] : endCall(calls, id, call)),
    ];
  });
}

function endCalls(calls: Map<string, Call>): UiChunk[] {
  return [...calls].flatMap(([id, call]) => endCall(calls, id, call));
}

function endCall(calls: Map<string, Call>, id: string, call: Call): UiChunk[] {
  if (call.isWhole) return [];
  calls.set(id, { ...call, isWhole: true });
  // The runtime refused arguments that are not JSON. They are shown as the model wrote them.
  const input = parse(call.text) ?? call.text;
  const asked = { type: 'tool-approval-request', approvalId: id, toolCallId: id } as const;
  return [{ type: 'tool-input-available', ...toTool(id, call), input }, ...(call.asks ? [asked] : [])];
}

/** The results of calls that the page knows. It could not show others. */
function toOutputs(
  { tool_returns: returns }: Extract<WireMessage, { message_type: 'tool_return_message' }>,
  calls: ReadonlyMap<string, Call>,
  shown: ShownCalls,
): UiChunk[] {
  return returns.flatMap(({ tool_call_id: toolCallId, status, tool_return: output }): UiChunk[] => {
    if (!calls.has(toolCallId) && !shown.ids.has(toolCallId)) return [];
    if (shown.denied.has(toolCallId)) return [{ type: 'tool-output-denied', toolCallId }];
    if (status === 'success') return [{ type: 'tool-output-available', ...toRan(toolCallId), output }];
    const errorText = typeof output === 'string' ? output : JSON.stringify(output);
    return [{ type: 'tool-output-error', ...toRan(toolCallId), errorText }];
  });
}

/** A page can't take words back, so this chunk names those that are void. */
function abandon(calls: Map<string, Call>, messageId: string): UiChunk[] {
  const errorText = 'The answer broke off. If the agent repeats this call, it follows.';
  const void_ = [...calls].filter(([, call]) => call.messageId === messageId);
  for (const [id, call] of void_) calls.set(id, { ...call, isWhole: true });
  return [
    ...void_.map(([id, call]) => {
      const input = parse(call.text) ?? call.text;
      return { type: 'tool-input-error', ...toTool(id, call), input, errorText } as const;
    }),
    { type: 'data-abandoned', id: messageId, data: { message_id: messageId } },
  ];
}

function toTool(id: string, { name: toolName }: Call): Tool {
  return { ...toRan(id), toolName };
}

function toRan(toolCallId: string): Ran {
  return { toolCallId, dynamic: true, providerExecuted: true };
}

function parse(text: string): unknown {
  // Only a closing brace can end an object, and most fragments have none.
  if (!text.trimEnd().endsWith('}')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
