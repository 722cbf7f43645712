import type { FastifyRequest } from 'fastify';
import type { ServerDeps } from './deps.js';
import type { OpenStreams } from './streams/open-streams.js';
import { type Caller, identifyCaller } from './wire/client-generation.js';

/** What every route gets: the world, and the connections that are open. */
export interface RouteContext extends ServerDeps {
  readonly streams: OpenStreams;
}

/** Which client sent the request. */
export function callerOf(request: Pick<FastifyRequest, 'headers'>): Caller {
  return identifyCaller(request.headers);
}
