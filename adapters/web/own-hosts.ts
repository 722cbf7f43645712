import { isIP } from 'node:net';

/** Names of the machine itself: no page of a browser can be under one but its own. */
const ownName = /^(.+\.)?localhost$/;

/**
 * Whether a host that was asked for is the machine's own name or an address. A page can be under any other name, which its
 * owner has lead to this machine (DNS rebinding): a browser then takes this server for the page's own.
 */
export function isOwnHost({ hostname }: URL): boolean {
  return ownName.test(hostname) || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

/** What a `Host` header names, as a URL; undefined for what is none. */
export function hostOf(header: string): URL | undefined {
  const url = `http://${header}`;
  return URL.canParse(url) ? new URL(url) : undefined;
}
