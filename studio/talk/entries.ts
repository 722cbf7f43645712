import type { Message } from '../api/types.js';
import { textOfContent } from '../parts/content-text.js';

/** An agent among several. */
export interface Speaker {
  readonly agentId: string;
  readonly name: string;
}

/** A call of a tool, with its result as soon as there is one. */
export interface CallEntry {
  readonly kind: 'call';
  readonly key: string;
  readonly callId: string;
  readonly name: string;
  /** JSON; incomplete while the model still writes it. */
  readonly arguments: string;
  readonly result?: { readonly text: string; readonly isError: boolean } | undefined;
  readonly date: string;
  readonly stepId: string | null;
  readonly messageId: string;
  /** In a group: the agent that said it. */
  readonly speaker: Speaker | undefined;
  /** A call that waits for a yes or no, and the message to answer. */
  readonly asks?: string | undefined;
  readonly decision?: 'approved' | 'denied' | undefined;
}

export interface TextEntry {
  readonly kind: 'user' | 'assistant' | 'reasoning' | 'notice' | 'event';
  readonly key: string;
  readonly text: string;
  readonly images: readonly string[];
  readonly date: string;
  readonly stepId: string | null;
  readonly messageId: string;
  readonly speaker: Speaker | undefined;
}

export type Entry = CallEntry | TextEntry;

type Part = { readonly type: string; readonly text?: string; readonly source?: Source };
type Source = {
  readonly type: string;
  readonly data?: string;
  readonly media_type?: string;
  readonly url?: string;
};

/**
 * Messages, in order, as the entries of a transcript: a call and its result are one. Fragments of one message (of one
 * `otid`) are joined, so the same function reads lists and streams.
 */
export function toEntries(messages: readonly Message[]): Entry[] {
  const entries = new Map<string, Entry>();
  const callKeys = new Map<string, string>();
  for (const message of messages) addMessage(entries, callKeys, message);
  return [...entries.values()];
}

function addMessage(entries: Map<string, Entry>, callKeys: Map<string, string>, message: Message): void {
  const about = {
    ...{ date: message.date, stepId: message.step_id, messageId: message.id },
    speaker: speakerOf(message),
  };
  const add = (kind: TextEntry['kind'], text: string, images: readonly string[] = []): void => {
    const key = `${kind}:${message.otid ?? message.id}`;
    const before = entries.get(key);
    const joined = before === undefined || before.kind === 'call' ? text : before.text + text;
    entries.set(key, { kind, key, text: joined, images, ...about });
  };
  switch (message.message_type) {
    case 'user_message': {
      const text = textOfContent(message.content);
      return isNotice(text) ? add('notice', text) : add('user', text, toImages(message.content));
    }
    case 'assistant_message':
      return add('assistant', textOfContent(message.content));
    case 'reasoning_message':
      return add('reasoning', message.reasoning);
    case 'system_message':
      return add('notice', textOfContent(message.content));
    case 'tool_call_message':
    case 'approval_request_message': {
      const asks = message.message_type === 'approval_request_message' ? message.id : undefined;
      let latest: string | undefined;
      for (const call of message.tool_calls) {
        const callId = call.tool_call_id ?? latest ?? message.otid ?? message.id;
        latest = callId;
        const key = callKeys.get(callId) ?? `call:${message.id}:${callId}`;
        callKeys.set(callId, key);
        const before = entries.get(key);
        const known = before?.kind === 'call' ? before : undefined;
        entries.set(key, {
          ...{ kind: 'call', key, callId, result: known?.result, decision: known?.decision, ...about },
          name: known?.name ?? call.name ?? '',
          arguments: (known?.arguments ?? '') + (call.arguments ?? ''),
          asks: asks ?? known?.asks,
        });
      }
      return;
    }
    case 'tool_return_message':
      for (const { tool_call_id: callId, tool_return: result, status } of message.tool_returns) {
        change(entries, callKeys.get(callId), {
          result: { text: textOfContent(result), isError: status === 'error' },
        });
      }
      return;
    case 'approval_response_message':
      for (const decision of message.approvals) {
        if (!('approve' in decision)) continue;
        change(entries, callKeys.get(decision.tool_call_id), {
          decision: decision.approve ? 'approved' : 'denied',
        });
      }
      return;
    case 'event_message':
      add('event', 'The oldest messages were summarised to make room.');
  }
}

function speakerOf({ sender_id: agentId, name }: Message): Speaker | undefined {
  return agentId?.startsWith('agent-') === true && name !== null ? { agentId, name } : undefined;
}

function change(entries: Map<string, Entry>, key: string | undefined, part: Partial<CallEntry>): void {
  const entry = key === undefined ? undefined : entries.get(key);
  if (entry?.kind === 'call') entries.set(entry.key, { ...entry, ...part });
}

/** Notices of the runtime lie in the transcript as JSON under the user's role, as in Letta. */
function isNotice(text: string): boolean {
  return /^\{"type": ?"(heartbeat|system_alert|login)"/.test(text);
}

function toImages(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return (content as Part[]).flatMap(({ source }) => {
    if (source?.data !== undefined) return [`data:${source.media_type ?? 'image/png'};base64,${source.data}`];
    return source?.url === undefined ? [] : [source.url];
  });
}
