import type { Stack } from '../../stack/stack.js';
import { post } from '../api.js';
import { anAgent } from './given.js';
import { randomNumbers, wordOf } from './vectors.js';

/** An archive and an agent that has it. */
export interface AnArchive {
  readonly archiveId: string;
  readonly agentId: string;
}

/** Passages of one request, and requests at once. */
const batch = 250;
const lanes = 4;
const vocabulary = 5_000;

/** An empty archive, attached to an agent of its own. */
export async function emptyArchive(
  stack: Pick<Stack, 'api'>,
  name: string,
  { model = 'openai/say', embedding = 'openai/bench' } = {},
): Promise<AnArchive> {
  const { id: archiveId } = await post<{ id: string }>(stack, '/v1/archives/', { name, embedding });
  const agentId = await anAgent(stack, { model, embedding });
  await attach(stack, { archiveId, agentId });
  return { archiveId, agentId };
}

export async function attach(stack: Pick<Stack, 'api'>, { archiveId, agentId }: AnArchive): Promise<void> {
  const path = `/v1/agents/${agentId}/archives/attach/${archiveId}`;
  const response = await fetch(`${stack.api}${path}`, { method: 'PATCH' });
  if (!response.ok) throw new Error(`PATCH ${path} answered ${response.status}: ${await response.text()}`);
}

/** Stores the items from `from` up to and without `to`, over REST. */
export async function loadArchive(
  stack: Pick<Stack, 'api'>,
  { archiveId }: AnArchive,
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

/** Texts of passages that a search over REST finds, best first. */
export async function search(
  stack: Pick<Stack, 'api'>,
  { agentId }: AnArchive,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<readonly string[]> {
  const asked = new URLSearchParams({ query, top_k: String(limit) });
  const path = `/v1/agents/${agentId}/archival-memory/search?${asked.toString()}`;
  const response = await fetch(`${stack.api}${path}`);
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`);
  const { results } = (await response.json()) as { results: { content: string }[] };
  return results.map(({ content }) => content);
}

/** The item that a passage is of. */
export function toItem(text: string): number {
  return Number(/ item (\d+)\./.exec(text)?.[1]);
}

function textOf(item: number): string {
  return `${wordOf(item)} is item ${item}. ${wordsOf(item, 20)}`;
}

/** Words of a language of some 5,000, the frequent ones as frequent as in a real one without its stop words. */
export function wordsOf(seed: number, count: number): string {
  const random = randomNumbers(seed);
  // The inverse of a distribution by rank, 1 / (rank + 30), as Zipf's law has it where the first thirty are stop words.
  const rank = (): number => Math.floor(30 * ((vocabulary + 30) / 30) ** random() - 30);
  return Array.from({ length: count }, () => `w${wordOf(rank())}`).join(' ');
}
