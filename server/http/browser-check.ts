import type { FastifyRequest } from 'fastify';
import { judgeRequest, type AllowedOrigins } from '../../adapters/settings/browsers.js';
import { RequestRefusedError } from './problems.js';

/** The pages of the studio and of the documentation. */
const pages = /^\/(docs\/?|agents(\/[^?]*)?)?(\?|$)/;

/** Refuses requests that another site's page makes through a browser, before anything of them is read. */
export function createBrowserCheck(
  allowedHosts: readonly string[],
): (request: FastifyRequest) => Promise<void> {
  const welcome: AllowedOrigins = { hosts: allowedHosts.map((host) => host.toLowerCase()), pages };
  return ({ method, url, headers }) => {
    switch (judgeRequest({ method, url, headers }, welcome)) {
      case 'welcome':
        return Promise.resolve();
      case 'foreign_host':
        return refuse(
          `The host \`${(headers.host ?? '').slice(0, 100)}\` is not one of this server’s. Use localhost or an address, or add the host to PERDURE_ALLOWED_HOSTS.`,
        );
      case 'foreign_page':
        return refuse(
          'A page of another site or port sent this request. To allow it, add that page’s host to PERDURE_ALLOWED_HOSTS.',
        );
    }
  };
}

function refuse(message: string): Promise<never> {
  return Promise.reject(new RequestRefusedError(403, message));
}
