import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import type { Group, Refinement, RefinementSchedule, ScheduledMessages } from '../api/types.js';

/** The groups of an agent whose partners refine its memory. */
export function useSleepGroups(agentId: string) {
  return useQuery({
    queryKey: [...keys.agent(agentId), 'sleep-groups'],
    queryFn: async ({ signal }) => {
      const groups = await call<Group[]>(`/v1/agents/${agentId}/groups`, { signal });
      return groups.filter(({ manager_type: kind }) => kind === 'sleeptime' || kind === 'voice_sleeptime');
    },
  });
}

export function useRefinements(groupId: string) {
  return useQuery({
    queryKey: ['group', groupId, 'refinements'],
    queryFn: ({ signal }) => call<Refinement[]>(`/v1/groups/${groupId}/refinements?limit=50`, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'running') === true ? 1_000 : 10_000,
  });
}

export function useRefinementSchedules(groupId: string) {
  return useQuery({
    queryKey: ['group', groupId, 'schedules'],
    queryFn: ({ signal }) => call<RefinementSchedule[]>(`/v1/groups/${groupId}/schedule`, { signal }),
  });
}

export function useScheduledMessages(agentId: string) {
  return useQuery({
    queryKey: [...keys.agent(agentId), 'schedules'],
    queryFn: ({ signal }) => call<ScheduledMessages>(`/v1/agents/${agentId}/schedule`, { signal }),
  });
}
