import type { ModelMessage, ModelRequest, ModelToolCall } from '../../../core/models/model.js';

/** A tool call of this turn, with its result if there is one. */
export interface CallMade {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result: { readonly ok: boolean; readonly message: unknown } | undefined;
}

/** What the demo model reads from a request. */
export interface Conversation {
  /** The user's words since the last answer. */
  readonly asked: string;
  /** The calls since the last answer, in order. */
  readonly calls: readonly CallMade[];
  /** The messages before the first of them. */
  readonly before: readonly ModelMessage[];
}

/** Reads the conversation from the request alone, so that the same request always gives the same. */
export function readConversation({ messages }: ModelRequest): Conversation {
  const turnStart = messages.findLastIndex(isAnswer) + 1;
  const turn = messages.slice(turnStart);
  const firstStep = turn.findIndex((message) => message.role === 'assistant');
  return {
    asked: turn
      .flatMap((message) => (message.role === 'user' ? [readUserText(message.content)] : []))
      .filter((text) => text !== '')
      .join('\n'),
    calls: readCalls(turn),
    before: firstStep < 0 ? messages : messages.slice(0, turnStart + firstStep),
  };
}

/** A user's words, without the JSON around them in MemGPT's format. Empty for events that no user wrote. */
export function readUserText(content: Extract<ModelMessage, { role: 'user' }>['content']): string {
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const packed = parseObject(text);
  if (packed === undefined || typeof packed['type'] !== 'string') return text.trim();
  return packed['type'] === 'user_message' && typeof packed['message'] === 'string'
    ? packed['message'].trim()
    : '';
}

/** The text's object, if the text is one JSON object. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function isAnswer(message: ModelMessage): boolean {
  if (message.role !== 'assistant') return false;
  if (message.toolCalls.length === 0) return message.content.trim() !== '';
  return message.toolCalls.some((call) => call.name === 'send_message');
}

/** The calls in these messages, in order, each with its result. */
export function readCalls(messages: readonly ModelMessage[]): CallMade[] {
  const results = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.toolCallId, message.content]] : [])),
  );
  return messages
    .flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []))
    .map((call) => toCallMade(call, results.get(call.id)));
}

function toCallMade(call: ModelToolCall, content: string | undefined): CallMade {
  return {
    id: call.id,
    name: call.name,
    arguments: parseObject(call.arguments) ?? {},
    result: content === undefined ? undefined : readResult(content),
  };
}

function readResult(content: string): { ok: boolean; message: unknown } {
  const packed = parseObject(content);
  if (packed === undefined || !('status' in packed)) {
    return { ok: !/^\s*error/i.test(content), message: content };
  }
  return { ok: /^(ok|success)$/i.test(String(packed['status'])), message: packed['message'] };
}
