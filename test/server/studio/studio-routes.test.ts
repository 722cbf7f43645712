import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { App } from '../../../server/deps.js';
import { studioRoutes } from '../../../server/studio/studio-routes.js';
import { makeTemporaryDirectory } from '../../support/runtime/temporary.js';

describe('[studio.policy] the studio’s page', () => {
  let app: App;
  afterEach(() => app.close());

  const serve = (files: Readonly<Record<string, string>>): App => {
    const directory = `${makeTemporaryDirectory('studio')}/`;
    mkdirSync(`${directory}assets`);
    for (const [name, content] of Object.entries(files)) writeFileSync(`${directory}${name}`, content);
    app = fastify().withTypeProvider<ZodTypeProvider>();
    studioRoutes(app, directory);
    return app;
  };

  it('loads nothing from other servers and gets a new nonce each time', async () => {
    serve({ 'index.html': '<meta content="%NONCE%" />' });

    const pages = await Promise.all(['/', '/agents/agent-1/mind'].map((path) => app.inject(path)));

    const nonces = pages.map((page) => {
      const policy = String(page.headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self'; ");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      const [, nonce = ''] = /'nonce-([^']{20,})'/.exec(policy) ?? [];
      expect(page.body).toBe(`<meta content="${nonce}" />`);
      return nonce;
    });
    expect(new Set(nonces).size).toBe(2);
  });

  it('is served with its files, which browsers cache as immutable', async () => {
    serve({ 'index.html': '', 'assets/index-1.js': 'run()' });

    const file = await app.inject('/studio/assets/index-1.js');

    expect(file).toMatchObject({ statusCode: 200, body: 'run()' });
    expect(file.headers).toMatchObject({
      'content-type': expect.stringContaining('javascript') as unknown,
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect((await app.inject('/studio/../package.json')).statusCode).toBe(404);
  });

  it('is replaced by the API documentation where the studio is not built', async () => {
    serve({});

    const answer = await app.inject('/');

    expect(answer.statusCode).toBe(302);
    expect(answer.headers.location).toBe('/docs');
  });
});
