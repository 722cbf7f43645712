import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { Execution, Run } from '../api/types.js';

/** The way to the turn's execution in Temporal's UI; nothing where the server knows of no such page. */
export function ExecutionLink({ run }: { readonly run: Run }) {
  const { data } = useQuery({
    queryKey: ['run', run.id, 'execution', run.status],
    queryFn: ({ signal }) => call<Execution>(`/v1/runs/${run.id}/execution`, { signal }),
    staleTime: Infinity,
  });
  if (data?.url == null || !isReachable(data.url)) return null;
  return (
    <Anchor href={data.url} target="_blank" rel="noreferrer noopener" size="xs">
      In Temporal ↗
    </Anchor>
  );
}

const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** A page of the server's own machine can't be opened from another one. */
function isReachable(url: string): boolean {
  return !local.test(new URL(url).hostname) || local.test(location.hostname);
}
