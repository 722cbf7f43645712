import { useQueries, useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { keys, toQuery } from '../api/queries.js';
import type { Agent, Group, Message } from '../api/types.js';

const mostListed = 200;

/** Groups in which agents talk, newest first. Agents with a sleep-time partner are in Sleep. */
export function useTalkGroups() {
  return useQuery({
    queryKey: ['groups'],
    queryFn: async ({ signal }) => {
      const groups = await call<Group[]>(`/v1/groups?${toQuery({ limit: mostListed, order: 'desc' })}`, {
        signal,
      });
      return groups.filter(({ manager_type: type }) => !type.endsWith('sleeptime'));
    },
  });
}

export function useGroup(groupId: string) {
  return useQuery({
    queryKey: ['group', groupId],
    queryFn: ({ signal }) => call<Group>(`/v1/groups/${groupId}`, { signal }),
  });
}

/** What was said in the group, oldest first. */
export function useGroupMessages(groupId: string) {
  return useQuery({
    queryKey: ['group', groupId, 'messages'],
    queryFn: ({ signal }) =>
      call<Message[]>(`/v1/groups/${groupId}/messages?${toQuery({ limit: mostListed })}`, { signal }),
    refetchInterval: 5_000,
  });
}

/** The agents of these ids that exist. */
export function useAgentsOf(ids: readonly string[]): readonly Agent[] {
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: keys.agent(id),
      queryFn: ({ signal }: { signal: AbortSignal }) => call<Agent>(`/v1/agents/${id}`, { signal }),
      staleTime: 30_000,
    })),
    combine: (results) => results.flatMap(({ data }) => (data === undefined ? [] : [data])),
  });
}
