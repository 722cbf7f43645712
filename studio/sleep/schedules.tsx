import { Button, Group, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { keys } from '../api/queries.js';
import type { ScheduledMessages } from '../api/types.js';
import { textOfContent } from '../parts/content-text.js';
import { Loading, Problem } from '../parts/states.js';
import { NewRefinementSchedule, NewScheduledMessage } from './new-schedule.js';
import { useRefinementSchedules, useScheduledMessages } from './queries.js';
import { ScheduleRow } from './schedule-row.js';

/** When the memory is refined by a cron. */
export function RefinementSchedules({ groupId }: { readonly groupId: string }) {
  const schedules = useRefinementSchedules(groupId);
  const [isMaking, setMaking] = useState(false);
  return (
    <section aria-label="Refinement schedules">
      <Group justify="space-between" mt="md" mb="xs">
        <Title order={3}>By schedule</Title>
        <Button variant="default" onClick={() => setMaking(true)}>
          New schedule
        </Button>
      </Group>
      {isMaking && <NewRefinementSchedule groupId={groupId} onDone={() => setMaking(false)} />}
      {schedules.isPending && <Loading lines={2} />}
      {schedules.error !== null && (
        <Problem error={schedules.error} onRetry={() => void schedules.refetch()} />
      )}
      {schedules.data?.map((schedule) => (
        <ScheduleRow
          key={schedule.id}
          path={`/v1/groups/${groupId}/schedule/${schedule.id}`}
          queryKey={['group', groupId]}
          what={`Refine at ${schedule.cron_expression} (${schedule.timezone})`}
          next={schedule.next_times}
          isPaused={schedule.paused}
        />
      ))}
      {schedules.data?.length === 0 && !isMaking && (
        <Text size="sm" c="dimmed">
          Nothing is scheduled.
        </Text>
      )}
    </section>
  );
}

/** Messages that are sent to the agent at a time, or by a cron. */
export function ScheduledMessageList({ agentId }: { readonly agentId: string }) {
  const schedules = useScheduledMessages(agentId);
  const [isMaking, setMaking] = useState(false);
  const listed = schedules.data?.scheduled_messages;
  return (
    <section aria-label="Scheduled messages">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Scheduled messages</Title>
        <Button variant="default" onClick={() => setMaking(true)}>
          Schedule a message
        </Button>
      </Group>
      {isMaking && <NewScheduledMessage agentId={agentId} onDone={() => setMaking(false)} />}
      {schedules.isPending && <Loading lines={2} />}
      {schedules.error !== null && (
        <Problem error={schedules.error} onRetry={() => void schedules.refetch()} />
      )}
      {listed?.map((schedule) => (
        <ScheduleRow
          key={schedule.id}
          path={`/v1/agents/${agentId}/schedule/${schedule.id}`}
          queryKey={keys.agent(agentId)}
          what={schedule.message.messages
            .map(({ content }) => textOfContent(content) || 'A message')
            .join(' ')}
          when={timesOf(schedule)}
          next={schedule.next_scheduled_time === null ? [] : [schedule.next_scheduled_time]}
          isPaused={schedule.paused}
        />
      ))}
      {listed?.length === 0 && !isMaking && (
        <Text size="sm" c="dimmed">
          Nothing is scheduled. A scheduled message begins a turn at its time.
        </Text>
      )}
    </section>
  );
}

function timesOf({ schedule }: ScheduledMessages['scheduled_messages'][number]): string {
  const { cron_expression: cron, timezone } = schedule;
  if (typeof cron !== 'string') return 'Once';
  return typeof timezone === 'string' ? `${cron} (${timezone})` : cron;
}
