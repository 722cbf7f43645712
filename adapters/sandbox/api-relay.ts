import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOwnHost } from '../settings/browsers.js';
import { createReadRevisions, type ReadRevisions } from './read-revisions.js';

/** Access to one server, and to nothing else. */
export interface ApiRelay {
  readonly door: { readonly socket: string } | { readonly port: number };
  close(): Promise<void>;
}

/** Headers of a single connection, which are not passed on. */
const hopByHop = ['connection', 'host', 'keep-alive', 'proxy-authorization', 'te', 'trailer', 'upgrade'];

/**
 * Opens access to the server for one running tool. Promises:
 * 1. Requests only reach this server's `/v1`, with these headers, which the tool can't remove.
 * 2. A block that the tool has read (by id, by label, in a list, with its agent, or in the agent it was given) is
 *    written on the basis of that revision, unless the tool names one. A change made in between is a conflict that
 *    the tool is told of, and is not lost.
 * 3. After `close` nothing is left.
 */
export async function openApiRelay(options: {
  readonly apiUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly kind: 'socket' | 'port';
  /** The agent that the tool received, as in an answer of the API. */
  readonly agent: unknown;
}): Promise<ApiRelay> {
  const readRevisions = createReadRevisions();
  readRevisions.note('/v1/agents', options.agent);
  const server = createServer((incoming, outgoing) => {
    relay(incoming, outgoing, { ...options, readRevisions });
  });
  const directory = options.kind === 'socket' ? mkdtempSync(join(tmpdir(), 'perdure-api-')) : undefined;
  const socket = directory === undefined ? undefined : join(directory, 'api.sock');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket === undefined ? { host: '127.0.0.1', port: 0 } : { path: socket }, resolve);
  });
  // The directory is only ours. In the sandbox, whichever user the tool runs as may use the socket.
  if (socket !== undefined) chmodSync(socket, 0o666);
  return {
    door: socket === undefined ? { port: (server.address() as AddressInfo).port } : { socket },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

interface Passage {
  readonly apiUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly readRevisions: ReadRevisions;
}

function relay(incoming: IncomingMessage, outgoing: ServerResponse, passage: Passage): void {
  const { apiUrl, headers, readRevisions } = passage;
  if (!isOwnHost(incoming.headers.host ?? '')) {
    refuse(outgoing, 403, 'Only requests of a tool to localhost are accepted here.');
    return;
  }
  const url = new URL(incoming.url ?? '/', apiUrl);
  if (url.origin !== new URL(apiUrl).origin || !url.pathname.startsWith('/v1/')) {
    refuse(outgoing, 403, 'A tool may only request paths under /v1 of this server.');
    return;
  }
  const path = url.pathname.replace(/\/$/, '');
  const base = incoming.method === 'PATCH' ? readRevisions.baseOf(path) : undefined;
  const options: RequestOptions = {
    method: incoming.method,
    headers: {
      ...(base === undefined ? {} : { 'if-match': `"${base}"` }),
      ...Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => !hopByHop.includes(name))),
      ...headers,
      // Compressed answers could not be read here.
      'accept-encoding': 'identity',
    },
  };
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, (answer) => {
    // Before passing it on, because the tool's next request may depend on it.
    if (answer.statusCode === 200)
      noteBody(answer, (body) => {
        readRevisions.note(path, body);
      });
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
    answer.on('error', () => outgoing.destroy());
  });
  request.on('error', (error) => {
    refuse(outgoing, 502, `The server can't be reached from the tool: ${error.message}.`);
  });
  incoming.pipe(request);
  outgoing.on('close', () => request.destroy());
}

/** Longer answers, in bytes, are passed on without being read. */
const mostRead = 8 * 1024 * 1024;

/** Calls `note` with a JSON answer's contents at its end. */
function noteBody(answer: IncomingMessage, note: (body: unknown) => void): void {
  if (!/^application\/json\b/.test(answer.headers['content-type'] ?? '')) return;
  const chunks: Buffer[] = [];
  let size = 0;
  answer.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= mostRead) chunks.push(chunk);
    else chunks.length = 0;
  });
  answer.on('end', () => {
    if (size <= mostRead) note(parseJson(Buffer.concat(chunks).toString()));
  });
}

/** Undefined where it is not JSON, such as an answer to HEAD. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function refuse(outgoing: ServerResponse, status: number, detail: string): void {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(status, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify({ detail }));
}
