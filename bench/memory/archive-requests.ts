import type { Stack } from '../../stack/stack.js';
import { post } from '../api.js';
import { createAgent } from './agents.js';
import { randomNumbers, wordOf } from './vectors.js';

/** An archive and an agent to which it is attached. */
export interface AgentArchive {
  readonly archiveId: string;
  readonly agentId: string;
}

/** Passages per request. */
const batch = 250;
/** Requests at once. */
const lanes = 4;
const vocabulary = 5_000;

/** Creates an empty archive and an agent to which it is attached. */
export async function emptyArchive(
  stack: Pick<Stack, 'api'>,
  name: string,
  { model = 'openai/say', embedding = 'openai/bench' } = {},
): Promise<AgentArchive> {
  const { id: archiveId } = await post<{ id: string }>(stack, '/v1/archives/', { name, embedding });
  const agentId = await createAgent(stack, { model, embedding });
  await attach(stack, { archiveId, agentId });
  return { archiveId, agentId };
}

export async function attach(stack: Pick<Stack, 'api'>, { archiveId, agentId }: AgentArchive): Promise<void> {
  const path = `/v1/agents/${agentId}/archives/attach/${archiveId}`;
  const response = await fetch(`${stack.api}${path}`, { method: 'PATCH' });
  if (!response.ok) throw new Error(`PATCH ${path} answered ${response.status}: ${await response.text()}`);
}

/** Stores the items from `from` to `to - 1` over REST. */
export async function loadArchive(
  stack: Pick<Stack, 'api'>,
  { archiveId }: AgentArchive,
  from: number,
  to: number,
): Promise<void> {
  let next = from;
  const lane = async (): Promise<void> => {
    while (next < to) {
      const start = next;
      next = Math.min(to, start + batch);
      const passages = Array.from({ length: next - start }, (_, at) => ({ text: textOf(start + at) }));
      await post(stack, `/v1/archives/${archiveId}/passages/batch`, { passages });
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Searches over REST. Returns the texts of the passages, best first. */
export async function search(
  stack: Pick<Stack, 'api'>,
  { agentId }: AgentArchive,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<readonly string[]> {
  const asked = new URLSearchParams({ query, top_k: String(limit) });
  const path = `/v1/agents/${agentId}/archival-memory/search?${asked.toString()}`;
  const response = await fetch(`${stack.api}${path}`);
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`);
  const { results } = (await response.json()) as { results: { content: string }[] };
  return results.map(({ content }) => content);
}

/** The item in a passage's text. */
export function toItem(text: string): number {
  return Number(/ item (\d+)\./.exec(text)?.[1]);
}

function textOf(item: number): string {
  return `${wordOf(item)} is item ${item}. ${wordsOf(item, 20)}`;
}

/** Words of a vocabulary of 5,000, distributed as in a real language without its stop words. */
export function wordsOf(seed: number, count: number): string {
  const random = randomNumbers(seed);
  // The inverse of Zipf's law, 1 / (rank + 30): the first thirty words are stop words.
  const rank = (): number => Math.floor(30 * ((vocabulary + 30) / 30) ** random() - 30);
  return Array.from({ length: count }, () => `w${wordOf(rank())}`).join(' ');
}
