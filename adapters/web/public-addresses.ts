import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';
import { WebError } from './web.js';

/**
 * A dispatcher that only connects to public addresses. It checks the address of the connection rather than the name,
 * which may resolve differently the second time.
 */
export function createPublicAgent(): Agent {
  const connect = buildConnector({ lookup: lookUpPublic, timeout: 10_000 });
  return new Agent({
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // Names are checked when they are looked up, but a literal address never is.
      if (isIP(host) !== 0 && !isPublic(host)) callback(refusal(host), null);
      else connect(options, callback);
    },
  });
}

/** Whether an address belongs to the public internet. */
export function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, '', 0);
      return;
    }
    const [first] = addresses;
    const isRefused = addresses.some(({ address }) => !isPublic(address));
    if (isRefused) callback(refusal(hostname), '', 0);
    else if (options.all === true) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  });
};

function refusal(host: string): WebError {
  return new WebError(`${host} is an address of a private network and can't be fetched. Use a public one.`);
}
