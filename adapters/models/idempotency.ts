import { createHash } from 'node:crypto';

/**
 * The idempotency key of a call. All attempts at the same request share it, so that servers which support it answer
 * again without charging; any other request has another key.
 */
export function idempotencyKeyOf(scope: string, body: string): string {
  return `${scope}-${createHash('sha256').update(body).digest('hex').slice(0, 32)}`;
}
