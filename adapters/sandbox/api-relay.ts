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

/** A door to one server, and to nothing else. */
export interface ApiRelay {
  readonly door: { readonly socket: string } | { readonly port: number };
  close(): Promise<void>;
}

/** Headers of one connection, which must not be passed on. */
const hopByHop = ['connection', 'host', 'keep-alive', 'proxy-authorization', 'te', 'trailer', 'upgrade'];

/**
 * Opens a door to the server for one running tool. Promises:
 * 1. Whatever is asked goes to this server's `/v1`, with these headers, which the tool can't take off.
 * 2. A block that the tool read, by id, by label, in a list, with its agent or in the agent that it was given, is
 *    written on the revision that it read, unless the tool names one itself: a change made in between is a conflict
 *    that it is told of, and is not lost.
 * 3. After `close` nothing of it is left.
 */
export async function openApiRelay(options: {
  readonly apiUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly kind: 'socket' | 'port';
  /** The agent that the tool is given, as an answer of the API. */
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
  // The directory is ours alone; in the sandbox the socket is shown to whoever the tool runs as.
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
    refuse(outgoing, 403, 'A tool asks for localhost, and nobody else may ask here.');
    return;
  }
  const url = new URL(incoming.url ?? '/', apiUrl);
  if (url.origin !== new URL(apiUrl).origin || !url.pathname.startsWith('/v1/')) {
    refuse(outgoing, 403, 'A tool may ask for paths under /v1 of this server, and for nothing else.');
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
      // What is compressed could not be read here.
      'accept-encoding': 'identity',
    },
  };
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, (answer) => {
    // Before it is passed on: the tool's next request may depend on it.
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

/** Answers that are longer, in bytes, are passed on without being read. */
const mostRead = 8 * 1024 * 1024;

/** Gives what an answer in JSON says, at its end. */
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

/** Undefined where it is none, as the answer to HEAD. */
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
