import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { keys, toQuery } from '../api/queries.js';
import type { Source, SourceFile } from '../api/types.js';

/** The most folders, and files of a folder, that are listed. */
const mostListed = 500;

/** The key of an agent's folders. */
export function sourcesOf(agentId: string) {
  return [...keys.agent(agentId), 'sources'] as const;
}

export function useAgentSources(agentId: string) {
  return useQuery({
    queryKey: sourcesOf(agentId),
    queryFn: ({ signal }) =>
      call<Source[]>(`/v1/agents/${agentId}/folders?${toQuery({ limit: mostListed })}`, { signal }),
  });
}

/** All folders of the server. */
export function useSources() {
  return useQuery({
    queryKey: ['sources'],
    queryFn: ({ signal }) => call<Source[]>(`/v1/folders?${toQuery({ limit: mostListed })}`, { signal }),
    staleTime: 30_000,
  });
}

/** A folder's files, newest first; read again each second while one of them is being read in. */
export function useSourceFiles(sourceId: string) {
  return useQuery({
    queryKey: ['source-files', sourceId],
    queryFn: ({ signal }) =>
      call<SourceFile[]>(`/v1/folders/${sourceId}/files?${toQuery({ limit: mostListed })}`, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(isBusy) === true ? 1_000 : false),
  });
}

/** Whether a file is still being read in. */
export function isBusy({ processing_status: status }: SourceFile): boolean {
  return status === 'pending' || status === 'parsing' || status === 'embedding';
}
