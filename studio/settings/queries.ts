import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, type Request } from '../api/client.js';
import { keys, toQuery } from '../api/queries.js';
import type { Agent, Block, Tool } from '../api/types.js';

/** The most tools that the list to attach one from shows. */
const mostTools = 500;

/** All tools of the server. */
export function useTools() {
  return useQuery({
    queryKey: ['tools'],
    queryFn: ({ signal }) => call<Tool[]>(`/v1/tools?${toQuery({ limit: mostTools })}`, { signal }),
    staleTime: 30_000,
  });
}

/** Blocks whose label has these letters. */
export function useBlocksLabelled(letters: string) {
  return useQuery({
    queryKey: ['blocks', letters],
    queryFn: ({ signal }) =>
      call<Block[]>(`/v1/blocks?${toQuery({ limit: 50, order: 'desc', label_search: letters })}`, { signal }),
  });
}

/** A request about the agent that answers with the agent, which the page then shows. */
export interface AgentRequest extends Request {
  /** Behind the agent's own path. */
  readonly path: string;
}

export function useAgentChange(agentId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ path, ...request }: AgentRequest) =>
      call<Agent | null>(`/v1/agents/${agentId}${path}`, request),
    onSuccess: (agent) => {
      if (agent !== null) queries.setQueryData(keys.agent(agentId), agent);
      void queries.invalidateQueries({ queryKey: ['agents'] });
      return queries.invalidateQueries({ queryKey: keys.agent(agentId) });
    },
  });
}
