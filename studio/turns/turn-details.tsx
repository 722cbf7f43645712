import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, call } from '../api/client.js';
import type { Run } from '../api/types.js';
import { toDollars } from '../../core/models/dollars.js';
import { ShortId } from '../parts/short-id.js';
import { Loading, NotFound, Problem } from '../parts/states.js';
import { toDuration } from '../parts/times.js';
import { toEntries } from '../talk/entries.js';
import { EntryView } from '../talk/entry-view.js';
import { ExecutionLink } from './execution-link.js';
import { type StepDetails, useRun } from './queries.js';
import { Steps } from './steps.js';
import { toBars } from './timeline.js';
import { TurnState } from './turn-state.js';
import classes from './turns.module.css';

/** One turn: its timeline, its steps with tokens, and what it said. */
export function TurnDetails({ runId, agentId }: { readonly runId: string; readonly agentId: string }) {
  const found = useRun(runId);
  if (found.isPending)
    return (
      <div className={classes.details}>
        <Loading lines={8} />
      </div>
    );
  if (found.error !== null) {
    const isGone = found.error instanceof ApiError && [404, 422].includes(found.error.status);
    return isGone ? (
      <NotFound what="turn" />
    ) : (
      <Problem error={found.error} onRetry={() => void found.refetch()} />
    );
  }
  const { run, steps, messages } = found.data;
  const error = run.metadata['error'] as { type: string; message: string } | undefined;
  return (
    <section className={classes.details} aria-label="The turn">
      <Group justify="space-between" mb="sm">
        <Group gap="sm">
          <TurnState run={run} />
          <ShortId id={run.id} />
          <Text size="xs" c="dimmed">
            {run.total_duration_ns !== null && toDuration(run.total_duration_ns / 1e6)}
            {run.ttft_ns !== null && ` · first token after ${toDuration(run.ttft_ns / 1e6)}`}
            {run.cost !== null && ` · ${toDollars(run.cost)}`}
          </Text>
        </Group>
        <Group gap="sm">
          <ExecutionLink run={run} />
          {run.completed_at === null && <Cancel run={run} />}
        </Group>
      </Group>
      {error !== undefined && (
        <Text size="sm" c="red" mb="sm" role="alert">
          {error.message}
        </Text>
      )}
      <Timeline run={run} steps={steps} />
      <Steps steps={steps} agentId={agentId} />
      {toEntries(messages).map((entry) => (
        <EntryView key={entry.key} entry={entry} agentId={agentId} />
      ))}
    </section>
  );
}

function Timeline({ run, steps }: { readonly run: Run; readonly steps: readonly StepDetails[] }) {
  const accepted = Date.parse(run.created_at);
  const end = run.completed_at === null ? Date.now() : Date.parse(run.completed_at);
  const total = Math.max(1, end - accepted);
  return (
    <div className={classes.timeline} role="img" aria-label={`Timeline of ${toDuration(total)}`}>
      {toBars(run, steps, end).map(({ key, kind, title, start, length }) => (
        <div key={key} className={classes.line}>
          <Text size="xs" c="dimmed" truncate className={classes.lineTitle ?? ''}>
            {title}
          </Text>
          <div className={classes.track}>
            <div
              className={classes.bar}
              data-kind={kind}
              style={{
                left: `${(100 * start) / total}%`,
                width: `${Math.max(0.4, (100 * length) / total)}%`,
              }}
            />
          </div>
          <Text size="xs" c="dimmed" ta="right" w={56}>
            {toDuration(length)}
          </Text>
        </div>
      ))}
    </div>
  );
}

function Cancel({ run }: { readonly run: Run }) {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => call(`/v1/agents/${run.agent_id}/messages/cancel`, { body: { run_ids: [run.id] } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['run', run.id] }),
  });
  return (
    <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
      Cancel
    </Button>
  );
}
