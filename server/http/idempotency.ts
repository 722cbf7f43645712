import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { callerOf } from '../context.js';
import { definedFields } from './defined-fields.js';

/** What tells that a request was sent before. */
export interface RequestIdentity {
  /** The sender's own idempotency key; absent where it gave none. */
  readonly requestKey?: string;
  readonly requestHash: string;
  /** For a retry: how long ago its first try may have been sent, in ms. 0: it is no retry. */
  readonly joinWithinMs: number;
}

interface Messages {
  readonly messages: readonly { readonly otid?: string }[];
}

/** Identifies a request with messages, so that sending it again does not repeat it. */
export function identifyRequest(
  request: Pick<FastifyRequest, 'headers' | 'url'>,
  sent: Messages & { readonly body: unknown },
): RequestIdentity {
  return {
    ...definedFields({ requestKey: requestKeyOf(request, sent) }),
    requestHash: hashRequest(withoutQuery(request.url), sent.body),
    joinWithinMs: callerOf(request).firstSentWithinMs,
  };
}

/**
 * The sender's own key for its request: the `Idempotency-Key` header, else the otids of its messages where each has
 * one. Undefined where the sender gives neither.
 */
export function requestKeyOf(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { messages }: Messages,
): string | undefined {
  const header = headers['idempotency-key'];
  if (typeof header === 'string' && header !== '') return `key:${header}`;
  const otids = messages.flatMap(({ otid }) => otid ?? []);
  if (otids.length === 0 || otids.length < messages.length) return undefined;
  // Hashed, because a request may have many messages and keys are indexed.
  return `otid:${sha256(JSON.stringify(otids))}`;
}

/** A request's fingerprint: equal for the same path and body, whatever the order of its fields. */
export function hashRequest(path: string, body: unknown): string {
  return sha256(JSON.stringify([path, sortKeys(body)]));
}

function withoutQuery(url: string): string {
  return url.replace(/\?.*$/, '').replace(/\/+$/, '');
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
