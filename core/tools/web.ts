import { type BuiltinTool, parameters } from './builtin-tool.js';

/** Searches the web with the configured provider. */
export const webSearch: BuiltinTool = {
  name: 'web_search',
  toolType: 'letta_builtin',
  description:
    'Searches the web and returns titles, addresses and excerpts of the best pages. Read a page in full with fetch_webpage.',
  parameters: parameters(
    {
      query: {
        type: 'string',
        description: 'What to search for, as you would type it into a search engine.',
      },
      num_results: { type: 'integer', default: 10, description: 'How many results to return, 20 at most.' },
      include_domains: {
        type: 'array',
        items: { type: 'string' },
        description: 'Only pages of these domains, such as example.org.',
      },
      exclude_domains: {
        type: 'array',
        items: { type: 'string' },
        description: 'No pages of these domains.',
      },
    },
    ['num_results', 'include_domains', 'exclude_domains'],
  ),
  tags: ['letta_builtin'],
  effect: 'searching',
};

/** Reads a page of the public web. */
export const fetchWebpage: BuiltinTool = {
  name: 'fetch_webpage',
  toolType: 'letta_builtin',
  description: 'Fetches a page of the public web and returns its text as Markdown.',
  parameters: parameters({
    url: { type: 'string', description: 'The address, beginning with http:// or https://.' },
  }),
  tags: ['letta_builtin'],
  effect: 'searching',
};
