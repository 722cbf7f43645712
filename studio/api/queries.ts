import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { call } from './client.js';
import type { Agent, Block, Message, Run } from './types.js';

const agentsPerPage = 50;
/** The first page is what a screen shows; later ones are for people who go far back. */
const newestMessages = 60;
const olderMessages = 400;

/** Keys under which answers are kept, so that what changes one of them can have it read again. */
export const keys = {
  agents: (search: string) => ['agents', search] as const,
  agent: (agentId: string) => ['agent', agentId] as const,
  blocks: (agentId: string) => ['agent', agentId, 'blocks'] as const,
  messages: (agentId: string) => ['agent', agentId, 'messages'] as const,
  activeRuns: (agentId: string) => ['agent', agentId, 'active-runs'] as const,
  block: (blockId: string) => ['block', blockId] as const,
};

/** Asks every few seconds whether the server and its database answer. */
export function useHealth() {
  return useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => call<{ version: string }>('/v1/health', { signal }),
    refetchInterval: 5_000,
    retry: false,
  });
}

/** Agents, newest first, page by page. */
export function useAgents(search: string) {
  return useInfiniteQuery({
    queryKey: keys.agents(search),
    queryFn: ({ pageParam, signal }) =>
      call<Agent[]>(`/v1/agents?${toQuery({ limit: agentsPerPage, query_text: search, after: pageParam })}`, {
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => (page.length < agentsPerPage ? undefined : page.at(-1)?.id),
  });
}

export function useAgent(agentId: string) {
  return useQuery({
    queryKey: keys.agent(agentId),
    queryFn: ({ signal }) => call<Agent>(`/v1/agents/${agentId}`, { signal }),
  });
}

/** The models of the configured providers. */
export function useModels() {
  return useQuery({
    queryKey: ['models'],
    queryFn: ({ signal }) => call<{ readonly handle: string }[]>('/v1/models', { signal }),
    staleTime: 30_000,
  });
}

export function useBlocks(agentId: string) {
  return useQuery({
    queryKey: keys.blocks(agentId),
    queryFn: ({ signal }) => call<Block[]>(`/v1/agents/${agentId}/core-memory/blocks`, { signal }),
  });
}

/** An agent's messages, the newest page first; each page is oldest first. */
export function useMessages(agentId: string) {
  return useInfiniteQuery({
    queryKey: keys.messages(agentId),
    queryFn: ({ pageParam, signal }) =>
      call<Message[]>(
        `/v1/agents/${agentId}/messages?${toQuery({ limit: pageParam === '' ? newestMessages : olderMessages, before: pageParam })}`,
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: (page) => (page.length === 0 ? undefined : page[0]?.id),
  });
}

/** Runs that are under way, oldest first. */
export function useActiveRuns(agentId: string) {
  return useQuery({
    queryKey: keys.activeRuns(agentId),
    queryFn: async ({ signal }) => {
      const runs = await call<Run[]>(`/v1/runs/active?${toQuery({ agent_ids: agentId })}`, { signal });
      return runs.toSorted((one, other) => one.created_at.localeCompare(other.created_at));
    },
    refetchInterval: 5_000,
  });
}

/** A query string of what is given: empty texts and undefined values are left out. */
export function toQuery(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}
