import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyReply } from 'fastify';
import { isClone } from '../../adapters/settings/own-modules.js';
import type { App } from '../deps.js';

/** Where `npm ci` builds the studio in a clone, and where it lies in the package. */
const builtStudio = fileURLToPath(new URL(isClone ? '../../dist/studio/' : '../../studio/', import.meta.url));

/**
 * The studio at `/`, and at the addresses of its pages, which a reload asks the server for. Without a built studio `/`
 * leads to the API's page.
 */
export function studioRoutes(app: App, directory: string = builtStudio): void {
  const file = `${directory}index.html`;
  if (!existsSync(file)) {
    app.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/docs'));
    return;
  }
  const page = readFileSync(file, 'utf8');
  for (const path of ['/', '/agents', '/agents/*', '/groups', '/groups/*']) {
    app.get(path, { schema: { hide: true } }, (_request, reply) => replyPage(reply, page));
  }
  void app.register(fastifyStatic, {
    root: directory,
    prefix: '/studio/',
    index: false,
    decorateReply: false,
    // `studio/build.mjs` makes them.
    preCompressed: true,
    // A file's name changes with its content.
    setHeaders: (reply, path) => {
      void reply.header('x-content-type-options', 'nosniff');
      void reply.header(
        'cache-control',
        path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
}

/** The page loads scripts, styles and data of this server alone. The nonce is for the one style element that it makes itself. */
function replyPage(reply: FastifyReply, page: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return reply
    .headers({
      'content-security-policy': policy.join('; '),
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .type('text/html; charset=utf-8')
    .send(page.replace('%NONCE%', nonce));
}
