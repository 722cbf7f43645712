import { z } from 'zod';
import type { LoopStyle } from '../../../core/agents/agents.js';
import type { ApprovalDecision } from '../../../core/turns/approvals.js';
import type { TransferredMessage } from '../../../core/transfer/transfer.js';
import type { MessageBody, ToolResultBody } from '../../../core/threads/messages.js';
import type { ContentPart } from '../../../core/models/model.js';
import { freeObject, moment } from '../../http/fields-wire.js';
import { unpackReturn, unpackText } from './packed-texts.js';

const output = z.array(z.string()).nullish();

const toolReturn = z.looseObject({
  tool_call_id: z.string().nullish(),
  status: z.string().nullish(),
  stdout: output,
  stderr: output,
  func_response: z.unknown().optional(),
});

const decision = z.looseObject({
  type: z.string().nullish(),
  tool_call_id: z.string().nullish(),
  approve: z.boolean().nullish(),
  reason: z.string().nullish(),
  status: z.string().nullish(),
  tool_return: z.unknown().optional(),
  func_response: z.unknown().optional(),
  stdout: output,
  stderr: output,
});

/** A message of an agent file, in Letta's form: one may hold the results of several calls. */
export const fileMessage = z.looseObject({
  id: z.string().nullish(),
  role: z.enum(['system', 'user', 'assistant', 'tool', 'function', 'approval', 'summary']),
  content: z.union([z.string(), z.array(freeObject)]).nullish(),
  name: z.string().nullish(),
  otid: z.string().nullish(),
  sender_id: z.string().nullish(),
  created_at: moment.nullish(),
  tool_calls: z
    .array(
      z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) }),
    )
    .nullish(),
  tool_call_id: z.string().nullish(),
  tool_returns: z.array(toolReturn).nullish(),
  approve: z.boolean().nullish(),
  denial_reason: z.string().nullish(),
  approvals: z.array(decision).nullish(),
});

export type FileMessage = z.infer<typeof fileMessage>;

/** What is needed to read a transcript. */
export interface Transcribed {
  readonly style: LoopStyle;
  /** The time of messages that have none. */
  readonly now: Date;
}

/** The messages of a file in the runtime's form, in order: each entry becomes none, one or several. */
export function fromFileMessages(
  entries: readonly FileMessage[],
  { style, now }: Transcribed,
): readonly (readonly TransferredMessage[])[] {
  const names = new Map<string, string>();
  let asked: readonly string[] = [];
  return entries.map((entry) => {
    for (const call of entry.tool_calls ?? []) names.set(call.id, call.function.name);
    const bodies = toBodies(entry, { style, names, asked });
    if ((entry.tool_calls ?? []).length > 0) asked = (entry.tool_calls ?? []).map((call) => call.id);
    const { created_at: createdAt, otid, sender_id: senderId } = entry;
    return bodies.map((body) => ({
      createdAt: createdAt ?? now,
      otid: otid ?? null,
      senderId: senderId ?? null,
      body,
    }));
  });
}

interface Around {
  readonly style: LoopStyle;
  /** Names of tools by their calls' ids. */
  readonly names: ReadonlyMap<string, string>;
  /** Calls of the last answer. */
  readonly asked: readonly string[];
}

function toBodies(entry: FileMessage, around: Around): MessageBody[] {
  switch (entry.role) {
    case 'system':
    case 'summary':
      return [{ kind: 'system', content: unpacked(entry).content }];
    case 'user':
      return [toUserBody(entry)];
    case 'assistant':
      return [toAnswer(entry, around.style)];
    case 'tool':
    case 'function':
      return toResults(entry, around.names);
    case 'approval':
      return (entry.tool_calls ?? []).length > 0
        ? [toAnswer(entry, around.style)]
        : [{ kind: 'approval', decisions: toDecisions(entry, around.asked) }];
  }
}

function unpacked(entry: FileMessage) {
  const content = toParts(entry.content);
  const [first] = content;
  return content.length === 1 && first?.type === 'text'
    ? unpackText(first.text)
    : { kind: 'plain' as const, content };
}

function toUserBody(entry: FileMessage): MessageBody {
  const said = unpacked(entry);
  if (said.kind === 'heartbeat') return { kind: 'heartbeat', reason: said.reason };
  if (said.kind === 'alert') return { kind: 'system', content: said.content };
  const name = entry.name ?? (said.kind === 'user' ? said.name : undefined);
  return { kind: 'user', content: said.content, ...(name == null ? {} : { name }) };
}

function toAnswer(entry: FileMessage, style: LoopStyle): MessageBody {
  const parts = typeof entry.content === 'string' ? [] : (entry.content ?? []);
  const thoughts = parts.filter((part) => part['type'] === 'reasoning');
  const reasoning = thoughts.map((part) => textOf(part['reasoning'])).join('\n');
  const text = joined(toParts(entry.content));
  const toolCalls = (entry.tool_calls ?? []).map((call) => ({
    id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
  }));
  // A MemGPT agent speaks by a tool, so the text of an answer with calls is reasoning.
  const isThought = style === 'tools' && toolCalls.length > 0 && reasoning === '';
  return {
    kind: 'assistant',
    text: isThought ? '' : text,
    reasoning: isThought ? text : reasoning,
    nativeReasoning: thoughts.some((part) => part['is_native'] === true),
    toolCalls,
  };
}

function toResults(entry: FileMessage, names: ReadonlyMap<string, string>): ToolResultBody[] {
  const returns = entry.tool_returns ?? [];
  const given = returns.length > 0 ? returns : [{ status: undefined, stdout: undefined, stderr: undefined }];
  return given.map((one): ToolResultBody => {
    const toolCallId = ('tool_call_id' in one ? one.tool_call_id : undefined) ?? entry.tool_call_id ?? '';
    const response = 'func_response' in one ? one.func_response : undefined;
    const { content: words, images } = returnedOf(response ?? entry.content);
    const { content, status } = unpackReturn(words);
    const isDone = status ?? (one.status ?? 'success') === 'success';
    return {
      kind: 'tool',
      toolCallId,
      // A message with several results has the name of only one of them.
      toolName: (returns.length > 1 ? undefined : entry.name) ?? names.get(toolCallId) ?? 'unknown',
      status: isDone ? 'success' : 'error',
      content,
      ...images,
      ...(one.stdout == null || one.stdout.length === 0 ? {} : { stdout: one.stdout }),
      ...(one.stderr == null || one.stderr.length === 0 ? {} : { stderr: one.stderr }),
    };
  });
}

/** A tool's result: a text, or texts and images; anything else as JSON. */
function returnedOf(returned: unknown): {
  readonly content: string;
  readonly images: { readonly images?: readonly string[] };
} {
  const { data } = z.array(z.looseObject({ type: z.enum(['text', 'image']) })).safeParse(returned);
  if (data === undefined) return { content: textOf(returned), images: {} };
  const parts = toParts(data);
  const images = parts.flatMap((part) => (part.type === 'image' ? [part.url] : []));
  return { content: joined(parts), images: images.length === 0 ? {} : { images } };
}

function toDecisions(entry: FileMessage, asked: readonly string[]): readonly ApprovalDecision[] {
  const { approve, denial_reason: reason = null } = entry;
  if ((entry.approvals ?? []).length === 0) {
    const kind = approve === true ? ('approved' as const) : ('denied' as const);
    return asked.map((toolCallId) => ({ kind, toolCallId, reason }));
  }
  return (entry.approvals ?? []).map((one): ApprovalDecision => {
    const toolCallId = one.tool_call_id ?? '';
    if (one.approve != null) {
      return { kind: one.approve ? 'approved' : 'denied', toolCallId, reason: one.reason ?? null };
    }
    const { content, images } = returnedOf(one.tool_return ?? one.func_response);
    const status = one.status === 'error' ? 'error' : 'success';
    return { kind: 'returned', toolCallId, status, content, ...images };
  });
}

function toParts(content: FileMessage['content']): readonly ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (content ?? []).flatMap((part): ContentPart[] => {
    if (part['type'] === 'text') return [{ type: 'text', text: textOf(part['text']) }];
    const url = part['type'] === 'image' ? imageUrl(part['source']) : undefined;
    return url === undefined ? [] : [{ type: 'image', url }];
  });
}

const imageSource = z.union([
  z.object({ type: z.literal('url'), url: z.string() }).transform(({ url }) => url),
  z
    .object({ media_type: z.string(), data: z.string() })
    .transform(({ media_type: type, data }) => `data:${type};base64,${data}`),
]);

function imageUrl(source: unknown): string | undefined {
  return imageSource.safeParse(source).data;
}

function joined(parts: readonly ContentPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
