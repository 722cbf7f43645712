import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { sseComment, withKeepAlive } from './sse.js';

/** Told of the error that broke a stream. The client gets less of it than the log. */
export type OnStreamBroken = (error: unknown) => void;

/** A stream to be sent. */
interface StreamSource {
  /** The events. They end when the signal is aborted. */
  readonly source: (signal: AbortSignal, onBroken: OnStreamBroken) => AsyncIterable<string>;
  /** What keeps the connection alive while the source is silent; default: a comment. */
  readonly keepAlive?: () => string;
  /** What the stream is about, for the log line where it breaks. */
  readonly ids?: Readonly<Record<string, string>>;
}

/** The connections of one server that wait for something: streams, and requests that wait for the end of a turn. */
export interface OpenStreams {
  /** Sends a stream as the reply. It ends when the client leaves or the server stops. */
  send(reply: FastifyReply, stream: StreamSource): never;
  /**
   * Waits for the reply's body. Where the client leaves or the server stops meanwhile, nothing is sent and `reply.sent`
   * is true. What was waited for goes on: a client that sends the same request again finds it.
   */
  wait<Body>(reply: FastifyReply, read: (signal: AbortSignal) => Promise<Body>): Promise<Body>;
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
    send(reply, { source, keepAlive = () => sseComment, ids = {} }) {
      const onBroken: OnStreamBroken = (error) => {
        reply.log.error({ err: error, ...ids }, 'a stream broke off');
      };
      const lines = withKeepAlive(source(signalOf(reply), onBroken), keepAlive, keepAliveMs);
      const sent = reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        .header('cache-control', 'no-cache, no-transform')
        .header('x-accel-buffering', 'no')
        // A kept-alive socket would hold up the server's close after its stream has ended.
        .header('connection', 'close')
        .send(Readable.from(lines));
      return asBody(sent);
    },
    async wait(reply, read) {
      const signal = signalOf(reply);
      try {
        return await read(signal);
      } catch (error) {
        if (!signal.aborted) throw error;
        reply.raw.destroy();
        return asBody(reply.hijack());
      }
    },
    endAll() {
      for (const controller of open) controller.abort();
    },
  };
}

/** Routes are typed by the JSON that they answer; Fastify takes the reply itself for an answer that is sent already. */
function asBody(sent: FastifyReply): never {
  return sent as never;
}
