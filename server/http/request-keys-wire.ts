import { createHash } from 'node:crypto';

/**
 * What makes a request the same as an earlier one, by its sender's own word: an `Idempotency-Key` header, else the
 * otids of its messages where each has one. Undefined where the sender gives no word.
 */
export function findRequestKey(
  idempotencyKey: string | undefined,
  messages: readonly { readonly otid?: string }[],
): string | undefined {
  if (idempotencyKey !== undefined && idempotencyKey !== '') return `key:${idempotencyKey}`;
  const otids = messages.flatMap((message) => message.otid ?? []);
  if (otids.length === 0 || otids.length < messages.length) return undefined;
  // Hashed, because a request may have many messages and keys are indexed.
  return `otid:${sha256(JSON.stringify(otids))}`;
}

/** A request's fingerprint: equal for the same path and body, in whatever order its fields came. */
export function hashRequest(path: string, body: unknown): string {
  return sha256(JSON.stringify([path, sortKeys(body)]));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}
