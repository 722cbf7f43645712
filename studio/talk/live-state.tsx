import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { LiveTurn } from './live-turns.js';
import { StopIcon } from '../parts/icons.js';
import classes from './talk.module.css';

const texts = {
  running: 'Working',
  waiting: 'Nothing new for a while. The turn is stored: if its worker is down, it goes on when one is back.',
  lost: 'The connection is lost. The turn goes on; this page joins it again as soon as the server answers.',
} as const;

interface LiveStateProps {
  readonly live: LiveTurn | undefined;
  /** Messages that wait until this turn has ended. */
  readonly queued: number;
  readonly agentId: string;
}

/** What the turn under way is doing, and the button that ends it. */
export function LiveState({ live, queued, agentId }: LiveStateProps) {
  const cancel = useMutation({
    mutationFn: (runId: string) =>
      call(`/v1/agents/${agentId}/messages/cancel`, { body: { run_ids: [runId] } }),
  });
  if (live === undefined) return null;
  return (
    <Group className={classes.state ?? ''} justify="space-between" wrap="nowrap" role="status">
      <Text size="xs" c="dimmed">
        {live.state === 'running' && <span className={classes.pulse} aria-hidden="true" />}
        {live.problem ?? texts[live.state]}
        {queued > 0 && ` · ${queued} more ${queued === 1 ? 'message waits' : 'messages wait'}`}
      </Text>
      <Button
        variant="default"
        size="compact-xs"
        leftSection={<StopIcon />}
        loading={cancel.isPending}
        onClick={() => cancel.mutate(live.runId)}
      >
        Stop
      </Button>
    </Group>
  );
}
