import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A page that a search finds. */
interface Page {
  readonly title: string;
  readonly url: string;
  readonly content: string;
}

/** Answers as SearXNG does, to be set as SEARXNG_URL. */
export interface SearchServer {
  readonly url: string;
  /** What it finds, whatever it is asked. */
  pages: readonly Page[];
  /** What it was asked, in order. */
  readonly queries: readonly string[];
}

/** Starts one, which lets its process end. */
export async function startSearchServer(): Promise<SearchServer> {
  const self = { url: '', pages: [] as readonly Page[], queries: [] as string[] };
  const server = createServer(({ url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const isServed = pathname === '/search' && searchParams.get('format') === 'json';
    if (isServed) self.queries.push(searchParams.get('q') ?? '');
    response.writeHead(isServed ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ results: isServed ? self.pages : [] }));
  });
  server.on('connection', (socket) => socket.unref()).unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(self, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
