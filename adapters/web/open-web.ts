import type { SearchProvider } from './search-providers.js';
import { type Web, WebError, type WebQuery, type WebResult } from './web.js';

type PageReader = (url: string, signal: AbortSignal) => Promise<string>;

const patienceMs = 20_000;

/** The web with this search provider and this reader of pages. */
export function openWeb(provider: SearchProvider | undefined, readPage: PageReader = readLater()): Web {
  return {
    async search(query, { signal }) {
      if (provider === undefined) throw new WebError(notConfigured);
      return ask(provider, query, signal);
    },
    read: (url, { signal }) => readPage(url, signal),
  };
}

/** Many workers never read a page: what that takes is loaded for the first one. */
function readLater(): PageReader {
  let read: Promise<PageReader> | undefined;
  return async (url, signal) => {
    read ??= import('./web-pages.js').then(({ createPageReader }) => createPageReader());
    return (await read)(url, signal);
  };
}

const notConfigured =
  'Web search is not configured on this server. Its operator can set TAVILY_API_KEY, EXA_API_KEY, BRAVE_API_KEY or SEARXNG_URL.';

async function ask(
  provider: SearchProvider,
  query: WebQuery,
  signal: AbortSignal,
): Promise<readonly WebResult[]> {
  const { url, init } = provider.toRequest(query);
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    const answer = await fetch(url, { ...init, signal: limited });
    if (!answer.ok)
      throw new WebError(`${provider.name} answered ${answer.status}. ${adviceFor(answer.status)}`);
    return provider.readAnswer(await answer.json()).slice(0, query.limit);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof WebError) throw error;
    throw new WebError(`${provider.name} is not available. Try again later, or do without.`, {
      cause: error,
    });
  }
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return 'Its key was refused. Tell the user, and do without.';
  return status === 429 ? 'Wait a little before you search again.' : 'Try again later, or do without.';
}
