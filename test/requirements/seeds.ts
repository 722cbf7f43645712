import type { Promises } from './requirement.js';

/** What the documents of the issue show and name, beyond what other areas promise. */
export const seeds: Promises = {
  'seeds.memgpt-agents': [
    'Letta’s clients, document 001',
    'The document’s snippets in Python, TypeScript and cURL make agents of both types, which search the web and run code for real.',
  ],
  'seeds.outage-before-accept': [
    'Wire',
    'A request that comes while the database is away answers 503 with a sentence and a time; Letta’s client of its own accord begins one turn.',
  ],
};
