import { z } from 'zod';
import type { WebQuery, WebResult } from './web.js';

/** Keys and addresses of search providers. The first configured one is used. */
export interface WebSearchConfig {
  readonly tavilyKey?: string | undefined;
  readonly exaKey?: string | undefined;
  readonly braveKey?: string | undefined;
  /** Without a trailing slash. */
  readonly searxngUrl?: string | undefined;
}

/** A configured provider. */
export interface SearchProvider {
  readonly name: string;
  toRequest(query: WebQuery): { readonly url: string; readonly init: RequestInit };
  /** Throws ZodError where the answer has another shape. */
  readAnswer(answer: unknown): readonly WebResult[];
}

/** Hosts of the hosted providers. Tests use others. */
const defaultHosts = {
  tavily: 'https://api.tavily.com',
  exa: 'https://api.exa.ai',
  brave: 'https://api.search.brave.com',
};

/** The configured provider: Tavily, Exa, Brave or SearXNG, in this order. Undefined: none. */
export function chooseProvider(
  config: WebSearchConfig,
  hosts: typeof defaultHosts = defaultHosts,
): SearchProvider | undefined {
  if (config.tavilyKey !== undefined) return tavily(config.tavilyKey, hosts.tavily);
  if (config.exaKey !== undefined) return exa(config.exaKey, hosts.exa);
  if (config.braveKey !== undefined) return brave(config.braveKey, hosts.brave);
  if (config.searxngUrl !== undefined) return searxng(config.searxngUrl);
  return undefined;
}

const page = z.looseObject({ title: z.string().nullish(), url: z.string() });
const date = z.string().nullish();

function tavily(key: string, host: string): SearchProvider {
  const shape = z.looseObject({
    results: z.array(page.extend({ content: z.string().nullish(), published_date: date })),
  });
  return {
    name: 'Tavily',
    toRequest: ({ query, limit, includeDomains, excludeDomains }) =>
      post(
        `${host}/search`,
        { authorization: `Bearer ${key}` },
        {
          query,
          max_results: limit,
          include_domains: includeDomains,
          exclude_domains: excludeDomains,
        },
      ),
    readAnswer: (answer) =>
      shape
        .parse(answer)
        .results.map((one) => toResult(one, { excerpt: one.content, published: one.published_date })),
  };
}

function exa(key: string, host: string): SearchProvider {
  const shape = z.looseObject({
    results: z.array(page.extend({ text: z.string().nullish(), publishedDate: date })),
  });
  return {
    name: 'Exa',
    toRequest: ({ query, limit, includeDomains, excludeDomains }) =>
      post(
        `${host}/search`,
        { 'x-api-key': key },
        {
          query,
          numResults: limit,
          ...(includeDomains.length > 0 && { includeDomains }),
          ...(excludeDomains.length > 0 && { excludeDomains }),
          contents: { text: { maxCharacters: 1_000 } },
        },
      ),
    readAnswer: (answer) =>
      shape
        .parse(answer)
        .results.map((one) => toResult(one, { excerpt: one.text, published: one.publishedDate })),
  };
}

function brave(key: string, host: string): SearchProvider {
  const shape = z.looseObject({
    web: z
      .looseObject({ results: z.array(page.extend({ description: z.string().nullish(), age: date })) })
      .nullish(),
  });
  return {
    name: 'Brave',
    toRequest: (query) => {
      const asked = new URLSearchParams({ q: withDomains(query), count: String(query.limit) });
      return get(`${host}/res/v1/web/search?${asked.toString()}`, { 'x-subscription-token': key });
    },
    readAnswer: (answer) =>
      (shape.parse(answer).web?.results ?? []).map((one) =>
        toResult(one, { excerpt: one.description, published: one.age }),
      ),
  };
}

function searxng(url: string): SearchProvider {
  const shape = z.looseObject({
    results: z.array(page.extend({ content: z.string().nullish(), publishedDate: date })),
  });
  return {
    name: 'SearXNG',
    toRequest: (query) =>
      get(`${url}/search?${new URLSearchParams({ q: withDomains(query), format: 'json' }).toString()}`, {}),
    readAnswer: (answer) =>
      shape
        .parse(answer)
        .results.map((one) => toResult(one, { excerpt: one.content, published: one.publishedDate })),
  };
}

/** The query with the operators of search engines. */
function withDomains({ query, includeDomains, excludeDomains }: WebQuery): string {
  const only = includeDomains.map((domain) => `site:${domain}`).join(' OR ');
  const without = excludeDomains.map((domain) => `-site:${domain}`);
  return [query, ...(only === '' ? [] : [`(${only})`]), ...without].join(' ');
}

function toResult(
  { title, url }: z.infer<typeof page>,
  rest: { readonly excerpt: string | null | undefined; readonly published: string | null | undefined },
): WebResult {
  return { title: title ?? url, url, excerpt: rest.excerpt ?? '', published: rest.published ?? null };
}

function post(url: string, headers: Record<string, string>, body: object) {
  const sent = { 'content-type': 'application/json', ...headers };
  return { url, init: { method: 'POST', headers: sent, body: JSON.stringify(body) } };
}

function get(url: string, headers: Record<string, string>) {
  return { url, init: { headers: { accept: 'application/json', ...headers } } };
}
