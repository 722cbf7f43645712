import { call } from '../api/client.js';
import { toQuery } from '../api/queries.js';
import type { Agent, Block, FoundMessage } from '../api/types.js';
import { textOf } from '../parts/found-text.js';

/** Something that was found, and where it is. */
export interface Hit {
  readonly key: string;
  readonly title: string;
  readonly detail: string;
  readonly path: string;
}

const most = 8;
/** Each block costs one more request: for an agent that has it. */
const mostBlocks = 4;
const shownLetters = 120;

/** Agents by their names; with a query also blocks by label and value, and messages by words and meaning. */
export async function find(query: string, signal: AbortSignal): Promise<Hit[]> {
  const found = await Promise.all([
    findAgents(query, signal),
    query === '' ? [] : findBlocks(query, signal),
    query === '' ? [] : findMessages(query, signal),
  ]);
  return found.flat();
}

async function findAgents(query: string, signal: AbortSignal): Promise<Hit[]> {
  const agents = await call<Agent[]>(`/v1/agents?${toQuery({ limit: most, query_text: query })}`, { signal });
  return agents.map(({ id, name, model }) => ({
    ...{ key: id, title: name, detail: model },
    path: `/agents/${id}`,
  }));
}

async function findBlocks(query: string, signal: AbortSignal): Promise<Hit[]> {
  const [labelled, saying] = await Promise.all(
    ['label_search', 'value_search'].map((by) =>
      call<Block[]>(`/v1/blocks?${toQuery({ limit: mostBlocks, order: 'desc', [by]: query })}`, { signal }),
    ),
  );
  const blocks = new Map([...(labelled ?? []), ...(saying ?? [])].map((block) => [block.id, block]));
  const hits = [...blocks.values()].slice(0, mostBlocks).map(async (block): Promise<Hit[]> => {
    const [agent] = await call<Agent[]>(`/v1/blocks/${block.id}/agents?limit=1`, { signal });
    if (agent === undefined) return [];
    return [
      {
        key: block.id,
        title: `${block.label}: ${block.value.slice(0, shownLetters)}`,
        detail: `block of ${agent.name}`,
        path: `/agents/${agent.id}/mind/${block.id}`,
      },
    ];
  });
  return (await Promise.all(hits)).flat();
}

async function findMessages(query: string, signal: AbortSignal): Promise<Hit[]> {
  const messages = await call<FoundMessage[]>('/v1/messages/search', {
    body: { query, limit: most },
    signal,
  });
  return messages.map((message) => ({
    key: `${message.message_id}:${message.message_type}`,
    title: textOf(message).slice(0, shownLetters),
    detail: 'message',
    path: `/agents/${message.agent_id}/recall?q=${encodeURIComponent(query)}`,
  }));
}
