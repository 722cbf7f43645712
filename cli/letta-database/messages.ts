import type { Free, MessageRow } from './tables.js';

/** Parts of messages that can't come over, by their kind. */
export interface Lost {
  readonly images: number;
  readonly sealedThoughts: number;
  readonly brokenCalls: number;
}

/** A message as an agent file holds it. */
export function toFileMessage(row: MessageRow): Free {
  const { id, role, name, otid, sender_id, created_at, tool_call_id, tool_returns } = row;
  const { approve, denial_reason, approvals } = row;
  return {
    ...{ id, role, name, otid, sender_id, created_at, tool_call_id, approve, denial_reason, approvals },
    content: contentOf(row).map(toFilePart),
    tool_calls: (row.tool_calls ?? []).filter(isCall),
    tool_returns: (tool_returns ?? []).map(withTextId),
  };
}

/** What of messages is not in their form for a file. */
export function countLost(rows: readonly MessageRow[]): Lost {
  const parts = rows.flatMap(contentOf);
  const count = (isLost: (part: Free) => boolean): number => parts.filter(isLost).length;
  return {
    images: count((part) => part['type'] === 'image' && !hasImage(part)),
    sealedThoughts: count(({ type }) => type === 'redacted_reasoning'),
    brokenCalls: rows.flatMap((row) => row.tool_calls ?? []).filter((call) => !isCall(call)).length,
  };
}

/** Rows of early versions have a text instead of parts. */
function contentOf({ content, text }: MessageRow): readonly Free[] {
  if (Array.isArray(content) && content.length > 0) return content as readonly Free[];
  return text === null || text === '' ? [] : [{ type: 'text', text }];
}

function toFilePart(part: Free): Free {
  if (part['type'] !== 'summarized_reasoning') return part;
  const summary = Array.isArray(part['summary']) ? (part['summary'] as { readonly text?: string }[]) : [];
  return { type: 'reasoning', is_native: true, reasoning: summary.map(({ text }) => text ?? '').join('\n') };
}

function hasImage({ source }: Free): boolean {
  const { url, media_type, data } = (source ?? {}) as Record<string, unknown>;
  return typeof url === 'string' || (typeof media_type === 'string' && typeof data === 'string');
}

function isCall({ id, function: called }: Free): boolean {
  const { name, arguments: given } = (called ?? {}) as Record<string, unknown>;
  return typeof id === 'string' && typeof name === 'string' && typeof given === 'string';
}

/** An id of a call may be anything in a row, and is a text in a file. */
function withTextId(one: Free): Free {
  const id = one['tool_call_id'];
  return { ...one, tool_call_id: id == null ? null : typeof id === 'string' ? id : JSON.stringify(id) };
}
