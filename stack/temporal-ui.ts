import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { judgeRequest } from '../adapters/settings/browsers.js';
import type { Part } from './parts.js';
import { findFreePort, keepPort, readKeptPort, waitForPort } from './ports.js';

/** The proxy in front of Temporal's UI. */
export interface UiProxy extends Part {
  readonly url: string;
}

const host = '127.0.0.1';
const usualPort = 8233;
const welcome = { hosts: [], pages: /^\// };

/**
 * Starts a proxy to Temporal's UI that refuses requests from other sites' pages. The UI itself accepts any host name, so
 * such a page could do everything that its user can. The port stays the same for the same file.
 */
export async function startUiProxy(options: {
  readonly ui: string;
  readonly portFile: string;
}): Promise<UiProxy> {
  const server = createServer((incoming, outgoing) => {
    passOn(options.ui, incoming, outgoing);
  });
  const wanted = await findFreePort(await waitForPort(readKeptPort(options.portFile)), usualPort);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port: wanted }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  keepPort(options.portFile, port);
  const kill = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return {
    name: 'Temporal’s UI',
    url: `http://${host}:${port}`,
    stop: () => {
      kill();
      return Promise.resolve();
    },
    kill,
  };
}

function passOn(ui: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method = 'GET', url = '/', headers } = incoming;
  if (judgeRequest({ method, url, headers }, welcome) !== 'welcome') {
    outgoing.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' });
    outgoing.end('A page of another site sent this request, or it names a host that is not this machine’s.');
    return;
  }
  const { hostname, port } = new URL(ui);
  const asking = request({ host: hostname, port, path: url, method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
    answer.on('error', () => outgoing.destroy());
  });
  asking.on('error', (error) => {
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end(`Temporal’s UI can’t be reached: ${error.message}`);
  });
  incoming.pipe(asking);
  outgoing.on('close', () => asking.destroy());
}
