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
  /** What it was asked, in order. */
  readonly queries: readonly string[];
  close(): Promise<void>;
}

/** Starts one that finds the same pages whatever it is asked. */
export async function startSearchServer(results: readonly Page[]): Promise<SearchServer> {
  const queries: string[] = [];
  const server = createServer(({ url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const isServed = pathname === '/search' && searchParams.get('format') === 'json';
    if (isServed) queries.push(searchParams.get('q') ?? '');
    response.writeHead(isServed ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ results: isServed ? results : [] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    queries,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
