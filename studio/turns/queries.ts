import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { keys, toQuery } from '../api/queries.js';
import type { Message, Run, Step, StepMetrics } from '../api/types.js';

const runsPerPage = 50;

/** An agent's runs, newest first. */
export function useRuns(agentId: string) {
  return useInfiniteQuery({
    queryKey: [...keys.agent(agentId), 'runs'],
    queryFn: ({ pageParam, signal }) =>
      call<Run[]>(`/v1/runs?${toQuery({ agent_ids: agentId, limit: runsPerPage, after: pageParam })}`, {
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => (page.length < runsPerPage ? undefined : page.at(-1)?.id),
    refetchInterval: 5_000,
  });
}

/** A step with its times and its messages. */
export interface StepDetails {
  readonly step: Step;
  readonly times: StepMetrics;
}

/** A run, its steps with their times, and what they said. */
export function useRun(runId: string) {
  return useQuery({
    queryKey: ['run', runId],
    queryFn: async ({ signal }) => {
      const [run, steps, messages] = await Promise.all([
        call<Run>(`/v1/runs/${runId}`, { signal }),
        call<Step[]>(`/v1/runs/${runId}/steps?${toQuery({ limit: 200, order: 'asc' })}`, { signal }),
        call<Message[]>(`/v1/runs/${runId}/messages?${toQuery({ limit: 1000, order: 'asc' })}`, { signal }),
      ]);
      const times = await Promise.all(
        steps.map(({ id }) => call<StepMetrics>(`/v1/steps/${id}/metrics`, { signal })),
      );
      const details = steps.flatMap((step, place): StepDetails[] => {
        const known = times[place];
        return known === undefined ? [] : [{ step, times: known }];
      });
      return { run, steps: details, messages };
    },
    refetchInterval: ({ state }) =>
      state.data !== undefined && state.data.run.completed_at === null ? 1_000 : false,
  });
}
