import { Button, Group, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import { Problem } from '../parts/states.js';
import { Time } from '../parts/times.js';
import { useRefinementSchedules, useScheduledMessages } from './queries.js';
import classes from './sleep.module.css';

/** When the memory is refined by a cron. */
export function RefinementSchedules({ groupId }: { readonly groupId: string }) {
  const schedules = useRefinementSchedules(groupId);
  if (schedules.error !== null) return <Problem error={schedules.error} />;
  return schedules.data?.map((schedule) => (
    <ScheduleRow
      key={schedule.id}
      path={`/v1/groups/${groupId}/schedule/${schedule.id}`}
      queryKey={['group', groupId]}
      what={`Refine at ${schedule.cron_expression} (${schedule.timezone})`}
      next={schedule.next_times[0]}
      isPaused={schedule.paused}
    />
  ));
}

/** Messages that are sent to the agent at a time, or by a cron. */
export function ScheduledMessageList({ agentId }: { readonly agentId: string }) {
  const schedules = useScheduledMessages(agentId);
  if (schedules.error !== null) return <Problem error={schedules.error} />;
  if (schedules.data === undefined || schedules.data.scheduled_messages.length === 0) return null;
  return (
    <section aria-label="Scheduled messages">
      <Title order={2} mb="xs">
        Scheduled messages
      </Title>
      {schedules.data.scheduled_messages.map((schedule) => (
        <ScheduleRow
          key={schedule.id}
          path={`/v1/agents/${agentId}/schedule/${schedule.id}`}
          queryKey={keys.agent(agentId)}
          what={schedule.message.messages
            .map(({ content }) => (typeof content === 'string' ? content : 'A message'))
            .join(' ')}
          next={schedule.next_scheduled_time ?? undefined}
          isPaused={schedule.paused}
        />
      ))}
    </section>
  );
}

interface ScheduleRowProps {
  readonly path: string;
  /** What is read again after a change. */
  readonly queryKey: readonly string[];
  readonly what: string;
  readonly next: string | undefined;
  readonly isPaused: boolean;
}

function ScheduleRow({ path, queryKey, what, next, isPaused }: ScheduleRowProps) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (verb: 'pause' | 'resume' | 'trigger') =>
      call(`${path}/${verb}`, { method: 'POST', body: {} }),
    onSuccess: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <Group justify="space-between" className={classes.schedule ?? ''}>
      <div>
        <Text size="sm">{what}</Text>
        <Text size="xs" c="dimmed" component="div">
          {isPaused ? (
            'Paused'
          ) : next === undefined ? (
            'No more times'
          ) : (
            <>
              Next <Time value={next} />
            </>
          )}
        </Text>
      </div>
      <Group gap={6}>
        {change.error !== null && (
          <Text size="xs" c="red" role="alert">
            {change.error.message}
          </Text>
        )}
        <Button variant="default" onClick={() => change.mutate(isPaused ? 'resume' : 'pause')}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Button variant="default" onClick={() => change.mutate('trigger')}>
          Now
        </Button>
      </Group>
    </Group>
  );
}
