import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpError } from './mcp-server.js';

/** What a server may send over one connection, which is one listing or one call. */
const mostBytes = 16 * 1024 * 1024;
/** Reading a flood of tiny ones would keep this process from all else. */
const mostMessages = 5_000;
/** An event of more lines counts as several messages: a line costs what it costs, whether or not it ends an event. */
const linesOfOne = 10;
const lineFeed = 10;
const carriageReturn = 13;

/**
 * Asked about each piece that a server sends before it is read, with the messages that end in it: false, and then
 * always false, where it is too much.
 */
export type Intake = (piece: Uint8Array, messages: number) => boolean;

/** Bounds what is read of a server, which is called `name` in the error that `onExcess` is told, once. */
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

/** The platform's fetch whose answers are read within the bound: one that is too long ends where it is. */
export function boundFetch(take: Intake): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    // A document is one message, or as many as its bytes allow.
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

/** How many lines end in a piece: where a message is a line, as many messages. */
export function countLines(piece: Uint8Array): number {
  let lines = 0;
  for (let at = piece.indexOf(lineFeed); at !== -1; at = piece.indexOf(lineFeed, at + 1)) lines += 1;
  return lines;
}

/**
 * Counts the events that end in each piece of one stream, and those of many lines for more than one. An empty line ends
 * an event, and a line ends as \n, \r or \r\n.
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
