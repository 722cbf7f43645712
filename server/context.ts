import type { FastifyRequest } from 'fastify';
import type { Author } from '../schema/blocks/authors.js';
import type { ServerDeps } from './deps.js';
import type { OpenStreams } from './streams/open-streams.js';
import { type Caller, identifyCaller } from './http/client-generation-wire.js';

/** What every route gets: the world, and the connections that are open. */
export interface RouteContext extends ServerDeps {
  readonly streams: OpenStreams;
}

/** Who changes something by the request: a user, or a running tool that calls back. */
export function authorOf({ toolCaller }: Pick<FastifyRequest, 'toolCaller'>): Author {
  if (toolCaller === null) return { actor: 'user' };
  // Without its effect: by that a tool would write a block once, and it may write it often.
  return { ...toolCaller, actor: 'tool', effectId: null };
}

/** Which client sent the request. */
export function callerOf(request: Pick<FastifyRequest, 'headers'>): Caller {
  return identifyCaller(request.headers);
}
