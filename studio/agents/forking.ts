import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { call } from '../api/client.js';
import type { Agent } from '../api/types.js';

/** As of when a fork is, and its name; absent: now, and the original's. */
interface Fork {
  readonly name?: string;
  readonly at?: string | undefined;
  readonly step_id?: string;
  readonly message_id?: string;
}

/** Copies the agent and opens the copy at this tab. */
export function useFork(agentId: string, tab: 'talk' | 'mind' = 'talk') {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (fork: Fork) => call<Agent>(`/v1/agents/${agentId}/fork`, { body: fork }),
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['agents'] });
      void navigate(`/agents/${id}/${tab}`);
    },
  });
}
