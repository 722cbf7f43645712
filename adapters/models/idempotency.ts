import { createHash } from 'node:crypto';

/**
 * The key of a call: the same for every attempt at the same request, so that a server which knows keys answers again what
 * it was paid for; another one as soon as anything else is asked.
 */
export function idempotencyKeyOf(scope: string, body: string): string {
  return `${scope}-${createHash('sha256').update(body).digest('hex').slice(0, 32)}`;
}
