import type { FastifyRequest } from 'fastify';
import { callerOf } from '../context.js';
import { given } from './given.js';
import { findRequestKey, hashRequest } from './request-keys-wire.js';

/** By what a request is known when it comes again. */
export interface Repeat {
  /** The sender's own word for it; absent where it gave none. */
  readonly requestKey?: string;
  readonly requestHash: string;
  /** For a retry: how long ago its first try may have been sent, in ms. 0: it is no retry. */
  readonly joinWithinMs: number;
}

/** What makes a request with messages the same as an earlier one: a key of its sender's, else its path and body. */
export function repeatOf(
  request: Pick<FastifyRequest, 'headers' | 'url'>,
  sent: { readonly body: unknown; readonly messages: readonly { readonly otid?: string }[] },
): Repeat {
  return {
    ...given({ requestKey: requestKeyOf(request, sent.messages) }),
    requestHash: hashRequest(pathOf(request.url), sent.body),
    joinWithinMs: callerOf(request).firstSentWithinMs,
  };
}

/** The sender's own word for its request: a header, or the otids of its messages. Undefined where it gave none. */
export function requestKeyOf(
  { headers }: Pick<FastifyRequest, 'headers'>,
  messages: readonly { readonly otid?: string }[],
): string | undefined {
  const header = headers['idempotency-key'];
  return findRequestKey(typeof header === 'string' ? header : undefined, messages);
}

/** A request's path, however it is spelt: part of its fingerprint. */
function pathOf(url: string): string {
  return url.replace(/\?.*$/, '').replace(/\/+$/, '');
}
