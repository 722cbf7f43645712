import type { FastifyRequest } from 'fastify';
import { judgeRequest, type Welcome } from '../../adapters/settings/browsers.js';
import { RequestRefusedError } from './problems.js';

/** The pages of the studio and of the documentation. */
const pages = /^\/(docs\/?|agents(\/[^?]*)?)?(\?|$)/;

/** Refuses what a page of another site has a browser ask, before anything of it is read (`judgeRequest`). */
export function createBrowserCheck(
  allowedHosts: readonly string[],
): (request: FastifyRequest) => Promise<void> {
  const welcome: Welcome = { hosts: allowedHosts.map((host) => host.toLowerCase()), pages };
  return ({ method, url, headers }) => {
    switch (judgeRequest({ method, url, headers }, welcome)) {
      case 'welcome':
        return Promise.resolve();
      case 'foreign_host':
        return refuse(
          `The host \`${(headers.host ?? '').slice(0, 100)}\` is not one of this server’s. Ask for localhost or an address, or name the host in PERDURE_ALLOWED_HOSTS.`,
        );
      case 'foreign_page':
        return refuse(
          'This was asked by a page of another site or port. Name that page’s host in PERDURE_ALLOWED_HOSTS to let it in.',
        );
    }
  };
}

function refuse(message: string): Promise<never> {
  return Promise.reject(new RequestRefusedError(403, message));
}
