import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpError } from './mcp-server.js';

/** What a server may send over one connection (one listing or one call). */
const mostBytes = 16 * 1024 * 1024;
/** A flood of tiny messages would block this process. */
const mostMessages = 5_000;
/** An event counts as one message per this many lines, because each line takes time to read. */
const linesOfOne = 10;
const lineFeed = 10;
const carriageReturn = 13;

/**
 * Called for each piece that a server sends, before it is read, with the number of messages that end in it. Returns
 * false, and from then on always false, where it is too much.
 */
export type Intake = (piece: Uint8Array, messages: number) => boolean;

/** Limits what is read from a server. `name` is the server's name in the error; `onExcess` is called once. */
export function boundIntake(name: string, onExcess: (error: McpError) => void): Intake {
  let [bytes, messages, isOver] = [0, 0, false];
  return (piece, ended) => {
    if (isOver) return false;
    bytes += piece.length;
    messages += ended;
    isOver = bytes > mostBytes || messages > mostMessages;
    if (isOver)
      onExcess(new McpError('protocol', `${name} sent more than any answer can need, and was cut off.`));
    return !isOver;
  };
}

/** The platform's fetch with limited answers: one that is too long is cut off. */
export function boundFetch(take: Intake): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    // A JSON document is one message of any length within the limit of bytes.
    const count = isEvents ? countEvents() : () => 0;
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        if (take(piece, count(piece))) controller.enqueue(piece);
        else controller.terminate();
      },
    });
    return new Response(response.body.pipeThrough(bound), response);
  };
}

/** The number of lines that end in a piece, for protocols with one message per line. */
export function countLines(piece: Uint8Array): number {
  let lines = 0;
  for (let at = piece.indexOf(lineFeed); at !== -1; at = piece.indexOf(lineFeed, at + 1)) lines += 1;
  return lines;
}

/**
 * Counts the events that end in each piece of a stream; long ones count several times. An empty line ends an event,
 * and a line ends with
 * , \r or \r
 * .
 */
export function countEvents(): (piece: Uint8Array) => number {
  let [isLineEmpty, last, lines] = [true, lineFeed, 0];
  return (piece) => {
    let events = 0;
    for (const byte of piece) {
      const isEnd = byte === lineFeed || byte === carriageReturn;
      const isSecondHalf = byte === lineFeed && last === carriageReturn;
      if (isEnd && !isSecondHalf) {
        lines += 1;
        if (isLineEmpty || lines === linesOfOne) {
          events += 1;
          lines = 0;
        }
      }
      isLineEmpty = isEnd;
      last = byte;
    }
    return events;
  };
}
