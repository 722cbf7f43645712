import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpError } from './mcp-server.js';

/** What a server may send over one connection, which is one listing or one call. */
const mostBytes = 16 * 1024 * 1024;
/** A message is a line or a few: reading a flood of tiny ones would keep this process from all else. */
const mostLines = 5_000;
const lineEnd = 10;

/** Asked about each piece that a server sends before it is read: false, and then always false, where it is too much. */
export type Intake = (piece: Uint8Array, form?: 'lines' | 'document') => boolean;

/** Bounds what is read of a server, which is called `name` in the error that `onExcess` is told, once. */
export function boundIntake(name: string, onExcess: (error: McpError) => void): Intake {
  let [bytes, lines, isOver] = [0, 0, false];
  return (piece, form = 'lines') => {
    if (isOver) return false;
    bytes += piece.length;
    if (form === 'lines') lines += countLines(piece);
    isOver = bytes > mostBytes || lines > mostLines;
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
    const form = response.headers.get('content-type')?.startsWith('text/event-stream') ? 'lines' : 'document';
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        if (take(piece, form)) controller.enqueue(piece);
        else controller.terminate();
      },
    });
    return new Response(response.body.pipeThrough(bound), response);
  };
}

function countLines(piece: Uint8Array): number {
  let lines = 0;
  for (let at = piece.indexOf(lineEnd); at !== -1; at = piece.indexOf(lineEnd, at + 1)) lines += 1;
  return lines;
}
