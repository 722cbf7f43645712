import type { LoopStyle } from '../agents/agents.js';
import { type Message, type MessageBody, resultText, type ToolResultBody } from './messages.js';
import type { ContentPart, ModelMessage, ModelToolCall } from '../models/model.js';
import { clockface } from '../times.js';

const begunEarlier = 'Earlier messages of this conversation are not in your context.';
const interrupted = '(no result: the turn was interrupted before this call finished)';

/**
 * A transcript in the form for a model, without the system prompt. Any stored transcript becomes one that providers
 * accept:
 * 1. Each tool call is followed at once by its result. A call without a result gets one that says so.
 * 2. A result without its call is left out, and so is an answer without text and calls.
 * 3. The first message is the user's or the system's, as some providers demand. After an eviction it may be neither.
 * 4. Images of results follow the answer's results as a user message, because no provider accepts them in a result.
 * 5. Only messages of the runtime or a program become a `system_alert` or a `heartbeat` as a whole.
 * 6. Names and arguments of calls have a valid form, even where the model broke it.
 */
export function toModelMessages(
  messages: readonly Message[],
  style: LoopStyle,
  timezone: string,
): ModelMessage[] {
  const { spoken } = clockface(timezone);
  const transcript = messages.flatMap((message, index): ModelMessage[] => {
    const { body } = message;
    // Computed on demand: a context has hundreds of messages.
    const time = (): string => spoken(message.createdAt);
    switch (body.kind) {
      case 'user':
        return [
          { role: 'user', content: style === 'tools' ? packUser(body, time()) : plainUser(body, time()) },
        ];
      case 'system':
        return [{ role: 'user', content: packParts(body.content, (text) => alert(text, time())) }];
      case 'heartbeat':
        return [
          { role: 'user', content: JSON.stringify({ type: 'heartbeat', reason: body.reason, time: time() }) },
        ];
      case 'notice':
        return [{ role: 'user', content: alert(body.text, time()) }];
      case 'assistant':
        return answer(body, style, {
          resultOf: (call) => findResult(call, messages, index),
          ...{ time, spoken },
        });
      case 'tool':
      case 'approval':
        // Results follow the answer with their calls, and already include the decision.
        return [];
    }
  });
  const [first] = messages;
  if (first === undefined || transcript[0]?.role !== 'assistant') return transcript;
  return [{ role: 'user', content: alert(begunEarlier, spoken(first.createdAt)) }, ...transcript];
}

type AssistantBody = Extract<MessageBody, { kind: 'assistant' }>;
type UserBody = Extract<MessageBody, { kind: 'user' }>;

function packUser(body: UserBody, time: string): string | ContentPart[] {
  return packParts(body.content, (text) => packedUser(body, text, time));
}

function packedUser({ name }: UserBody, text: string, time: string): string {
  return JSON.stringify({
    type: 'user_message',
    message: text,
    time,
    ...(name === undefined ? {} : { name }),
  });
}

/** Packs only what could be mistaken for a notice: nobody but the runtime may speak in that form. */
function plainUser(body: UserBody, time: string): string | ContentPart[] {
  return packParts(body.content, (text) => {
    const said =
      text === '' && !body.content.some((part) => part.type === 'image') ? '(empty message)' : text;
    const named = body.name === undefined ? said : `${body.name}: ${said}`;
    return looksLikeNotice(named) ? packedUser(body, text, time) : named;
  });
}

/** Text that begins like a notice after any non-letters, or contains a notice's words. */
const noticeLike =
  /^[^\p{L}\p{N}]*\{|["'`]type["'`]\s*:|system[\s_-]*alert|automated[\s_-]*system[\s_-]*message/iu;

/** Whether a text might be taken for a notice of the runtime's. Names and words written in other letters are read as usual. */
function looksLikeNotice(text: string): boolean {
  return noticeLike.test(text.normalize('NFKC').replace(/\p{Cf}/gu, ''));
}

function alert(message: string, time: string): string {
  return JSON.stringify({ type: 'system_alert', message, time });
}

function packParts(parts: readonly ContentPart[], pack: (text: string) => string): string | ContentPart[] {
  const images = parts.filter((part) => part.type === 'image');
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const packed = pack(text);
  if (images.length === 0) return packed;
  return packed === '' ? images : [{ type: 'text', text: packed }, ...images];
}

/** What rendering an answer needs from the rest of the transcript. */
interface Around {
  readonly resultOf: (call: ModelToolCall) => Message | undefined;
  readonly time: () => string;
  readonly spoken: (instant: Date) => string;
}

function answer(body: AssistantBody, style: LoopStyle, { resultOf, time, spoken }: Around): ModelMessage[] {
  // Weak servers number calls badly: two of the same id in one answer would be refused.
  const calls = body.toolCalls.filter((call, i, all) => all.findIndex((other) => other.id === call.id) === i);
  if (calls.length === 0 && body.text === '') return [];
  const thinking = style === 'tools' && !body.nativeReasoning ? body.reasoning : '';
  const toolCalls = calls.map((call, i) => ({
    id: call.id,
    name: acceptableName(call.name),
    arguments: withThinking(acceptableArguments(call.arguments), i === 0 ? thinking : ''),
  }));
  const results = calls.map((call) => ({ call, result: resultOf(call) }));
  return [
    { role: 'assistant', content: body.text, toolCalls },
    ...results.map(({ call, result }): ModelMessage => {
      const content =
        result?.body.kind === 'tool'
          ? packResult(result.body, spoken(result.createdAt))
          : packOutcome('Failed', interrupted, time());
      return { role: 'tool', toolCallId: call.id, content };
    }),
    ...results.flatMap(({ result }) => (result === undefined ? [] : returnedImages(result, spoken))),
  ];
}

function returnedImages(
  { body, createdAt }: Message,
  spoken: (instant: Date) => string,
): readonly ModelMessage[] {
  if (body.kind !== 'tool' || body.images === undefined || body.images.length === 0) return [];
  const text = alert(`${body.toolName} returned what follows.`, spoken(createdAt));
  const images = body.images.map((url) => ({ type: 'image' as const, url }));
  return [{ role: 'user', content: [{ type: 'text', text }, ...images] }];
}

/** The first result of the call after its answer, unless a later answer uses the same id before it comes. */
function findResult(call: ModelToolCall, messages: readonly Message[], index: number): Message | undefined {
  for (let i = index + 1; i < messages.length; i += 1) {
    const later = messages[i];
    if (later?.body.kind === 'tool' && later.body.toolCallId === call.id) return later;
    if (later?.body.kind === 'assistant' && later.body.toolCalls.some((other) => other.id === call.id)) break;
  }
  return undefined;
}

function packResult(body: ToolResultBody, time: string): string {
  return packOutcome(body.status === 'success' ? 'OK' : 'Failed', resultText(body), time);
}

function packOutcome(status: 'OK' | 'Failed', message: string, time: string): string {
  return JSON.stringify({ status, message, time });
}

function acceptableName(name: string): string {
  const clean = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
  return clean === '' ? 'unknown' : clean;
}

function acceptableArguments(text: string): string {
  if (text.trim() === '') return '{}';
  return isJsonObject(text) ? text : JSON.stringify({ invalid_arguments: text });
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Puts thoughts back where the model wrote them. As text, because parsing would round large numbers. */
function withThinking(json: string, thinking: string): string {
  if (thinking === '') return json;
  const rest = json.trim().slice(1).trimStart();
  return `{"thinking":${JSON.stringify(thinking)}${rest === '}' ? '' : ','}${rest}`;
}
