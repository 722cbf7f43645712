import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** Names of the machine itself: no page of a browser can be under one but its own. */
const ownName = /^(.+\.)?localhost$/;

/** A request, before anything of it but its head is read. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** Whom a server without a password lets ask. */
export interface Welcome {
  /** Hosts, each a name or a name with its port, that browsers may ask for and whose pages may ask. */
  readonly hosts: readonly string[];
  /** Paths that a link of another site may open in a tab: pages that do nothing by themselves. */
  readonly pages: RegExp;
}

/**
 * Whether a request may be a browser's that asks for a page of another site. Where no password is asked a browser has all
 * the rights of its user, so nothing of such a request is to be read.
 *
 * `foreign_host`: the host that was asked for is not the machine's own name, nor an address, nor a welcome host.
 * `foreign_page`: a browser says that the page which asks is not of this server, nor of a welcome host. Programs say
 * nothing of the kind.
 */
export function judgeRequest(
  head: RequestHead,
  { hosts, pages }: Welcome,
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
  // Browsers say it to whom they trust, loopback above all, and no page can set it.
  if (site !== undefined) {
    // `none`: the user typed the address.
    const isOfSite = site === 'same-origin' || site === 'none';
    return isOfSite || isTab(head, pages) ? 'welcome' : 'foreign_page';
  }
  return origin === undefined || from?.host === asked?.host ? 'welcome' : 'foreign_page';
}

/**
 * Whether a `Host` header names the machine itself or an address. A page can be under any other name, which its owner has
 * lead to this machine (DNS rebinding): a browser then takes this server for the page's own.
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
