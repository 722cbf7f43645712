import { describe, expect, it } from '@jest/globals';
import { fetchWebpage, webSearch } from '../../../activities/tools/web.js';
import { type Web, WebError, type WebQuery } from '../../../adapters/web/web.js';
import type { Effect } from '../../../schema/turns/records.js';

function run(tool: ReturnType<typeof webSearch>, args: Record<string, unknown>) {
  const call = { id: 'c1', name: 'web', arguments: JSON.stringify(args) };
  const effect = { id: 'effect-1', call, arguments: args } as Effect;
  // Web tools read nothing else of the call.
  const context = { effect, signal: new AbortController().signal } as Parameters<typeof tool.prepare>[0];
  return tool.prepare(context).then((write) => write({} as Parameters<typeof write>[0]));
}

const away: Web = {
  search: () => Promise.reject(new WebError('Exa is away.')),
  read: () => Promise.reject(new WebError('It is private.')),
};

describe('web tools', () => {
  it('[wire.web] search as asked, within bounds, and return the results', async () => {
    const asked: WebQuery[] = [];
    const web: Web = {
      ...away,
      search: (query) => {
        asked.push(query);
        return Promise.resolve([{ title: 'T', url: 'https://a.org', excerpt: 'C', published: null }]);
      },
    };
    const found = await run(webSearch(web), { query: 'sea', num_results: 500, include_domains: ['a.org'] });

    expect(asked).toEqual([{ query: 'sea', limit: 20, includeDomains: ['a.org'], excludeDomains: [] }]);
    expect(found.ok).toBe(true);
    expect(JSON.parse(found.message)).toEqual([
      { title: 'T', url: 'https://a.org', excerpt: 'C', published: null },
    ]);
  });

  it('[wire.web] tell the model what failed', async () => {
    expect(await run(webSearch(away), { query: 'sea' })).toEqual({ ok: false, message: 'Exa is away.' });
    expect(await run(fetchWebpage(away), { url: 'http://10.0.0.1' })).toEqual({
      ok: false,
      message: 'It is private.',
    });
  });
});
