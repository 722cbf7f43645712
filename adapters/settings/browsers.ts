import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** Names of this machine. No page of another site can have them. */
const ownName = /^(.+\.)?localhost$/;

/** The head of a request. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** Who may use a server without a password. */
export interface AllowedOrigins {
  /** Hosts, with or without a port, that browsers may address and whose pages may send requests. */
  readonly hosts: readonly string[];
  /** Paths that links of other sites may open, because these pages do nothing by themselves. */
  readonly pages: RegExp;
}

/**
 * Whether a request may come from a browser that shows a page of another site. Without a password, a browser has all
 * rights of its user, so such a request must not be handled.
 * `foreign_host`: the addressed host is not this machine's name, not an IP address and not allowed. `foreign_page`:
 * the browser says that the requesting page is neither this server's nor of an allowed host. Programs other than
 * browsers send no such header.
 */
export function judgeRequest(
  head: RequestHead,
  { hosts, pages }: AllowedOrigins,
): 'welcome' | 'foreign_host' | 'foreign_page' {
  const { host } = head.headers;
  const asked = host === undefined ? undefined : hostOf(host);
  const isWelcome = (url: URL): boolean => hosts.includes(url.hostname) || hosts.includes(url.host);
  const isKnown = asked !== undefined && (isOwnName(asked.hostname) || isWelcome(asked));
  if (host !== undefined && !isKnown) return 'foreign_host';
  const { origin } = head.headers;
  const from = origin !== undefined && URL.canParse(origin) ? new URL(origin) : undefined;
  if (from !== undefined && isWelcome(from)) return 'welcome';
  const site = head.headers['sec-fetch-site'];
  // Browsers send it to trusted addresses, above all loopback, and no page can set it.
  if (site !== undefined) {
    // `none`: the user typed the address.
    const isOfSite = site === 'same-origin' || site === 'none';
    return isOfSite || isTab(head, pages) ? 'welcome' : 'foreign_page';
  }
  return origin === undefined || from?.host === asked?.host ? 'welcome' : 'foreign_page';
}

/**
 * Whether a `Host` header names this machine or an IP address. A page may have any other name, which its owner can
 * point to this machine (DNS rebinding), so that a browser takes this server for the page's own.
 */
export function isOwnHost(header: string): boolean {
  const url = hostOf(header);
  return url !== undefined && isOwnName(url.hostname);
}

function isOwnName(hostname: string): boolean {
  return ownName.test(hostname) || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

function hostOf(header: string): URL | undefined {
  const url = `http://${header}`;
  return URL.canParse(url) ? new URL(url) : undefined;
}

function isTab({ method, url, headers }: RequestHead, pages: RegExp): boolean {
  const opens = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return opens && method === 'GET' && pages.test(url);
}
