import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { ClientId } from '../conformance/shown/shown.js';

/** A request of a client that was answered. */
export interface RecordedCall {
  readonly client: ClientId | undefined;
  readonly method: string;
  /** Without the query, and without a slash at the end. */
  readonly path: string;
  readonly status: number;
}

/** Stands between clients and a server, and writes down who asked what. */
export interface RecordingProxy {
  readonly url: string;
  readonly calls: readonly RecordedCall[];
  close(): Promise<void>;
}

/** Starts one before this server. Bodies, also endless ones, pass through as they come. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const calls: RecordedCall[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const forwarded = request(new URL(url, target), { method, headers }, (answer) => {
      const path = url.replace(/\?.*$/, '').replace(/\/+$/, '');
      calls.push({ client: clientOf(incoming), method, path, status: answer.statusCode ?? 0 });
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    // A client that gives up is to be missed by the server, and a server that gives up by its client.
    outgoing.once('close', () => forwarded.destroy());
    forwarded.once('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    calls,
    async close() {
      proxy.close();
      proxy.closeAllConnections();
      await once(proxy, 'close');
    },
  };
}

/** By the headers that the clients' generators put in. */
function clientOf({ headers }: IncomingMessage): ClientId | undefined {
  const newer = headers['x-stainless-lang'];
  const language = newer ?? headers['x-fern-language'];
  if (typeof language !== 'string') return undefined;
  return `${language.toLowerCase() === 'python' ? 'py' : 'ts'}-${newer === undefined ? 0 : 1}`;
}
