import { Group, Text } from '@mantine/core';
import { Link, useParams } from 'react-router';
import type { Agent, Run } from '../api/types.js';
import { Empty, Loading, Problem } from '../parts/states.js';
import { Time, toDuration } from '../parts/times.js';
import { VirtualList } from '../parts/virtual-list.js';
import { useRuns } from './queries.js';
import { TurnDetails } from './turn-details.js';
import { TurnState } from './turn-state.js';
import classes from './turns.module.css';

/** The agent's turns, newest first, and what one of them did and cost. */
export function TurnsTab({ agent }: { readonly agent: Agent }) {
  const { '*': runId = '' } = useParams();
  const runs = useRuns(agent.id);
  if (runs.isPending) return <Loading lines={8} />;
  if (runs.error !== null) return <Problem error={runs.error} onRetry={() => void runs.refetch()} />;
  const all = runs.data.pages.flat();
  const shown = runId === '' ? all[0]?.id : runId;
  if (shown === undefined)
    return <Empty title="No turns yet">Each message begins one. Say something in Talk.</Empty>;
  return (
    <div className={classes.tab}>
      <div className={classes.list}>
        <VirtualList
          label="Turns, newest first"
          items={all}
          keyOf={(run) => run.id}
          rowHeight={48}
          onEnd={() => {
            if (runs.hasNextPage && !runs.isFetchingNextPage) void runs.fetchNextPage();
          }}
          render={(run) => <TurnRow run={run} isChosen={run.id === shown} />}
        />
      </div>
      <TurnDetails key={shown} runId={shown} agentId={agent.id} />
    </div>
  );
}

function TurnRow({ run, isChosen }: { readonly run: Run; readonly isChosen: boolean }) {
  return (
    <Link
      to={`/agents/${run.agent_id}/turns/${run.id}`}
      className={classes.row ?? ''}
      aria-current={isChosen}
    >
      <Group justify="space-between" gap={8} wrap="nowrap">
        <TurnState run={run} />
        <Time value={run.created_at} />
      </Group>
      <Text size="xs" c="dimmed">
        {run.total_duration_ns === null ? 'under way' : toDuration(run.total_duration_ns / 1e6)}
        {run.conversation_id !== null && ' · a conversation'}
      </Text>
    </Link>
  );
}
