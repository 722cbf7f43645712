import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { createLoginAttempts } from './login-attempts.js';
import { RequestRefusedError, TooManyGuessesError } from './problems.js';

/** Paths that need no password: health, documentation, and the studio's page, which asks for it. */
const open = /^\/((v1\/health|openapi\.json|docs|agents|studio)(\/|\?|$)|(\?|$))/;

/**
 * Refuses requests without the server's password, which comes as a bearer token or in `X-BARE-PASSWORD`. Running tools
 * have a token of their own instead. Guessing is slowed down (`login-attempts.ts`).
 */
export function createPasswordCheck(password: string): (request: FastifyRequest) => Promise<void> {
  const expected = digest(password);
  const attempts = createLoginAttempts();
  return (request) => {
    if (open.test(request.url) || request.toolCaller !== null) return Promise.resolve();
    const given = givenPasswords(request);
    const waitMs = given.length === 0 ? 0 : attempts.waitOf(request.ip, Date.now());
    if (waitMs > 0) return Promise.reject(new TooManyGuessesError(Math.ceil(waitMs / 1_000)));
    // Digests have one length, so the comparison takes the same time for any guess.
    if (given.some((one) => timingSafeEqual(digest(one), expected))) {
      attempts.noteSuccess(request.ip);
      return Promise.resolve();
    }
    if (given.length > 0) attempts.noteFailure(request.ip, Date.now());
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
