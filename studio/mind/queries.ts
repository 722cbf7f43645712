import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { keys, toQuery } from '../api/queries.js';
import type { Agent, BlamedLine, Block, Revision, RevisionWithValue } from '../api/types.js';

/** The newest revisions of a block, newest first, as a query. */
export function revisionsOf(blockId: string) {
  return queryOptions({
    queryKey: [...keys.block(blockId), 'revisions'],
    queryFn: ({ signal }) => call<Revision[]>(`/v1/blocks/${blockId}/revisions?limit=1000`, { signal }),
  });
}

/** The lines of a revision, each with the revision that wrote it. */
export function useBlame(blockId: string, revision: number) {
  return useQuery({
    queryKey: ['blame', blockId, revision],
    queryFn: ({ signal }) =>
      call<BlamedLine[]>(`/v1/blocks/${blockId}/blame?${toQuery({ revision })}`, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
}

/** What a revision changed. The first one has no revision before it. */
export function useDifference(blockId: string, revision: number) {
  return useQuery({
    queryKey: ['difference', blockId, revision],
    queryFn: ({ signal }) =>
      call<{ difference: string }>(
        `/v1/blocks/${blockId}/diff?${toQuery({ from: Math.max(1, revision - 1), to: revision })}`,
        { signal },
      ),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
}

/** The agents that share a block. */
export function useHolders(blockId: string) {
  return useQuery({
    queryKey: [...keys.block(blockId), 'agents'],
    queryFn: ({ signal }) => call<Agent[]>(`/v1/blocks/${blockId}/agents?limit=20`, { signal }),
    staleTime: 30_000,
  });
}

/** What blocks said at a time. A block that did not exist yet is left out. */
export function useAsOf(blocks: readonly Block[], at: string | undefined) {
  return useQuery({
    queryKey: ['as-of', at, blocks.map(({ id }) => id)],
    enabled: at !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const read = blocks.map(async ({ id }) => {
        const revision = await call<RevisionWithValue>(`/v1/blocks/${id}/as-of?${toQuery({ at })}`, {
          signal,
        }).catch(() => undefined);
        return [id, revision] as const;
      });
      return new Map(await Promise.all(read));
    },
  });
}
