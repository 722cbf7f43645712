import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { withKeepAlive } from './sse.js';

/** What is to be streamed. `source` ends when its signal is aborted. */
interface StreamSource {
  readonly source: (signal: AbortSignal) => AsyncIterable<string>;
  readonly keepAlive: () => string;
}

/** The connections of one server that wait for something: streams, and requests that wait for a turn's end. */
export interface OpenStreams {
  /** Sends the stream as the reply; ends it when the client leaves or the server stops. */
  send(reply: FastifyReply, stream: StreamSource): FastifyReply;
  /** A signal that is aborted when the reply's client leaves or the server stops. */
  signalOf(reply: FastifyReply): AbortSignal;
  /** Ends them all. Turns go on: a client finds them again by their runs. */
  endAll(): void;
}

export function createOpenStreams(keepAliveMs: number): OpenStreams {
  const open = new Set<AbortController>();
  const signalOf = (reply: FastifyReply): AbortSignal => {
    const controller = new AbortController();
    open.add(controller);
    reply.raw.once('close', () => {
      open.delete(controller);
      controller.abort();
    });
    return controller.signal;
  };
  return {
    signalOf,
    send(reply, stream) {
      const lines = withKeepAlive(stream.source(signalOf(reply)), stream.keepAlive, keepAliveMs);
      return (
        reply
          .header('content-type', 'text/event-stream; charset=utf-8')
          .header('cache-control', 'no-cache, no-transform')
          .header('x-accel-buffering', 'no')
          // A kept-alive socket would hold up the server's close after its stream has ended.
          .header('connection', 'close')
          .send(Readable.from(lines))
      );
    },
    endAll() {
      for (const controller of open) controller.abort();
    },
  };
}
