import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import type { Run } from '../api/types.js';

interface ApprovalProps {
  readonly agentId: string;
  /** The message that asks. */
  readonly requestId: string;
  readonly callId: string;
}

/** A call that waits for a yes or no. A reason for a no goes to the agent. */
export function Approval({ agentId, requestId, callId }: ApprovalProps) {
  const [reason, setReason] = useState('');
  const queries = useQueryClient();
  const decision = useMutation({
    mutationFn: (approve: boolean) =>
      call<Run>(`/v1/agents/${agentId}/messages/async`, {
        body: {
          messages: [
            {
              type: 'approval',
              approval_request_id: requestId,
              approvals: [
                {
                  type: 'approval',
                  tool_call_id: callId,
                  approve,
                  reason: reason === '' ? undefined : reason,
                },
              ],
            },
          ],
          stream_tokens: true,
        },
      }),
    onSuccess: (run) => {
      queries.setQueryData<Run[]>(keys.activeRuns(agentId), (runs = []) => [...runs, run]);
      void queries.invalidateQueries({ queryKey: keys.messages(agentId) });
    },
  });
  return (
    <Group gap={6} mt={6}>
      <Text size="sm">May it?</Text>
      <Button
        loading={decision.isPending && decision.variables}
        disabled={decision.isPending}
        onClick={() => decision.mutate(true)}
      >
        Approve
      </Button>
      <Button
        variant="default"
        loading={decision.isPending && !decision.variables}
        disabled={decision.isPending}
        onClick={() => decision.mutate(false)}
      >
        Deny
      </Button>
      <TextInput
        flex={1}
        maw={320}
        aria-label="Why not"
        placeholder="Why not (the agent reads it)"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {decision.error !== null && (
        <Text size="xs" c="red" role="alert">
          {decision.error.message}
        </Text>
      )}
    </Group>
  );
}
