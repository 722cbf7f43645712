import type { FastifyRequest } from 'fastify';
import type { Author } from '../schema/blocks/authors.js';
import type { ServerDeps } from './deps.js';
import type { OpenStreams } from './streams/open-streams.js';
import { type Caller, identifyCaller } from './http/client-generation-wire.js';

/** What every route gets: the server's dependencies and its open connections. */
export interface RouteContext extends ServerDeps {
  readonly streams: OpenStreams;
}

/** The author of what a request changes: a user, or a running tool that calls back. */
export function authorOf({ toolCaller }: Pick<FastifyRequest, 'toolCaller'>): Author {
  if (toolCaller === null) return { actor: 'user' };
  // Without the effect's id: a block takes one write of an effect, and a tool may write many times.
  return { ...toolCaller, actor: 'tool', effectId: null };
}

/** Which client sent the request. */
export function callerOf(request: Pick<FastifyRequest, 'headers'>): Caller {
  return identifyCaller(request.headers);
}
