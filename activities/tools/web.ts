import { type Web, WebError, type WebResult } from '../../adapters/web/web.js';
import {
  done,
  listArgument,
  numberArgument,
  refused,
  type SearchingTool,
  textArgument,
  type ToolOutcome,
} from './outcome.js';

const mostResults = 20;
const defaultResults = 10;

/** Searches the web. The model is told if the provider refuses. */
export function webSearch(web: Web): SearchingTool {
  return reading(({ effect, signal }) =>
    web
      .search(
        {
          query: textArgument(effect, 'query'),
          limit: Math.min(mostResults, Math.max(1, numberArgument(effect, 'num_results', defaultResults))),
          includeDomains: listArgument(effect, 'include_domains') ?? [],
          excludeDomains: listArgument(effect, 'exclude_domains') ?? [],
        },
        { signal },
      )
      .then(render),
  );
}

/** Reads a page of the public web. */
export function fetchWebpage(web: Web): SearchingTool {
  return reading(async ({ effect, signal }) => {
    const text = await web.read(textArgument(effect, 'url'), { signal });
    return text === '' ? 'The page has no text.' : text;
  });
}

type SearchingCall = Parameters<SearchingTool['prepare']>[0];

/** A tool that only reads and writes nothing but its result. */
function reading(read: (call: SearchingCall) => Promise<string>): SearchingTool {
  return {
    kind: 'searching',
    async prepare(call) {
      const outcome = await read(call).then(done, toRefusal);
      return () => Promise.resolve(outcome);
    },
  };
}

function toRefusal(error: unknown): ToolOutcome {
  if (error instanceof WebError) return refused(error.message);
  throw error;
}

function render(found: readonly WebResult[]): string {
  if (found.length === 0) return 'Nothing was found. Try other words.';
  return JSON.stringify(
    found.map(({ title, url, excerpt, published }) => ({ title, url, excerpt, published })),
  );
}
