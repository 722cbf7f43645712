import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { RequestRefusedError } from './problems.js';

/** Paths that anybody may read: whether the server lives, and what it can do. */
const open = /^\/((v1\/health|openapi\.json|docs)(\/|\?|$)|$)/;

/**
 * Refuses requests without the server's password, as a bearer token or in `X-BARE-PASSWORD`; those of running tools
 * come with a token of their own.
 */
export function createPasswordCheck(password: string): (request: FastifyRequest) => Promise<void> {
  const expected = digest(password);
  return (request) => {
    if (open.test(request.url) || request.toolCaller !== null) return Promise.resolve();
    const given = givenPasswords(request);
    // Digests have one length, so that the comparison takes the same time for any guess.
    if (given.some((one) => timingSafeEqual(digest(one), expected))) return Promise.resolve();
    return Promise.reject(
      new RequestRefusedError(
        401,
        'Unauthorized. Send the server’s password as `Authorization: Bearer <password>`.',
      ),
    );
  };
}

function givenPasswords(request: FastifyRequest): string[] {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const bare = request.headers['x-bare-password'];
  const bareText = typeof bare === 'string' ? bare.replace(/^password /, '') : undefined;
  return [bearer, bareText].filter((one) => one !== undefined);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
