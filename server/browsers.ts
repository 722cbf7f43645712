import type { FastifyRequest } from 'fastify';
import { hostOf, isOwnHost } from '../adapters/web/own-hosts.js';
import { RequestRefusedError } from './problems.js';

/** What a link of another site may open in a tab: the page of documentation, which does nothing by itself. */
const page = /^\/(docs\/?)?(\?|$)/;

/**
 * Refuses what a page of another site has a browser ask, for where no password is asked a browser has all the rights of
 * its user. Before anything of the request is read:
 *
 * 1. The host that was asked for is the machine's own name, an address, or an allowed host.
 * 2. What a browser says of the page that asks is that it is of this server, or of an allowed host. Programs say nothing.
 *
 * An allowed host is a name, or a name with its port.
 */
export function createBrowserCheck(allowed: readonly string[]): (request: FastifyRequest) => Promise<void> {
  const names = new Set(allowed.map((name) => name.toLowerCase()));
  const isAllowed = (url: URL): boolean => names.has(url.hostname) || names.has(url.host);
  return (request) => {
    const { host } = request.headers;
    const asked = host === undefined ? undefined : hostOf(host);
    if (host !== undefined && !(asked !== undefined && (isOwnHost(asked) || isAllowed(asked)))) {
      return refuse(
        `The host \`${host.slice(0, 100)}\` is not one of this server’s. Ask for localhost or an address, or name the host in PERDURE_ALLOWED_HOSTS.`,
      );
    }
    if (isForeign(request, asked, isAllowed)) {
      return refuse(
        'This was asked by a page of another site or port. Name that page’s host in PERDURE_ALLOWED_HOSTS to let it in.',
      );
    }
    return Promise.resolve();
  };
}

function isForeign(
  { headers, method, url }: FastifyRequest,
  asked: URL | undefined,
  isAllowed: (url: URL) => boolean,
): boolean {
  const { origin } = headers;
  const from = origin !== undefined && URL.canParse(origin) ? new URL(origin) : undefined;
  if (from !== undefined && isAllowed(from)) return false;
  const site = headers['sec-fetch-site'];
  // Browsers say it to whom they trust, loopback above all, and no page can set it.
  if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return false;
    const isTab = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
    return !(isTab && method === 'GET' && page.test(url));
  }
  return origin !== undefined && from?.host !== asked?.host;
}

function refuse(message: string): Promise<never> {
  return Promise.reject(new RequestRefusedError(403, message));
}
