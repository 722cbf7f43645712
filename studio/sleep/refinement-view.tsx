import { Anchor, Badge, Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { call } from '../api/client.js';
import type { Refinement } from '../api/types.js';
import { UnifiedDiff } from '../parts/line-diff.js';
import { Time } from '../parts/times.js';
import classes from './sleep.module.css';

const states = {
  running: { text: 'at work', color: 'blue' },
  in_review: { text: 'waits for your yes', color: 'orange' },
  completed: { text: 'merged', color: 'pine' },
  rejected: { text: 'rejected', color: 'gray' },
  failed: { text: 'failed', color: 'red' },
} as const;
const causes = {
  turns: 'after some turns',
  eviction: 'when messages left the context',
  hand: 'by hand',
  schedule: 'by schedule',
} as const;

/** One refinement: why it ran, what it read, what it changes in each block, and accept or reject. */
export function RefinementView({ refinement }: { readonly refinement: Refinement }) {
  const { text, color } = states[refinement.status];
  const read = refinement.ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const changed = refinement.blocks.filter(({ diff }) => diff !== '');
  return (
    <article className={classes.refinement}>
      <Group gap={8} mb={6}>
        <Badge variant="dot" size="sm" color={color} tt="none" fw={500}>
          {text}
        </Badge>
        <Time value={refinement.created_at} />
        <Text size="xs" c="dimmed">
          {causes[refinement.cause]} · {read} messages read · {refinement.tokens.toLocaleString('en')} tokens
        </Text>
        {refinement.run_ids.map((runId, round) => (
          <Anchor key={runId} component={Link} size="xs" to={`/agents/${refinement.agent_id}/turns/${runId}`}>
            {refinement.run_ids.length === 1 ? 'its turn' : `turn ${round + 1}`}
          </Anchor>
        ))}
      </Group>
      {refinement.error !== null && (
        <Text size="sm" c="red">
          {refinement.error.message}
        </Text>
      )}
      {changed.map(({ block_id: blockId, label, diff, note }) => (
        <div key={blockId} className={classes.change}>
          <Text size="xs" fw={600}>
            {label}
          </Text>
          {note !== null && (
            <Text size="xs" c="dimmed">
              {note}
            </Text>
          )}
          <UnifiedDiff text={diff} />
        </div>
      ))}
      {changed.length === 0 && refinement.status !== 'running' && (
        <Text size="sm" c="dimmed">
          It changed no block.
        </Text>
      )}
      {refinement.status === 'in_review' && <Review refinement={refinement} />}
    </article>
  );
}

function Review({ refinement }: { readonly refinement: Refinement }) {
  const queries = useQueryClient();
  const decision = useMutation({
    mutationFn: (verb: 'approve' | 'reject') =>
      call(`/v1/groups/${refinement.group_id}/refinements/${refinement.id}/${verb}`, {
        method: 'POST',
        body: {},
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['group', refinement.group_id] }),
  });
  return (
    <Group gap={6} mt={6}>
      <Button loading={decision.isPending} onClick={() => decision.mutate('approve')}>
        Accept
      </Button>
      <Button variant="default" disabled={decision.isPending} onClick={() => decision.mutate('reject')}>
        Reject
      </Button>
      {decision.error !== null && (
        <Text size="xs" c="red" role="alert">
          {decision.error.message}
        </Text>
      )}
    </Group>
  );
}
