import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { call } from '../api/client.js';
import { DeletionQuestion } from '../parts/deletion-question.js';
import { Time } from '../parts/times.js';
import classes from './sleep.module.css';

interface ScheduleRowProps {
  readonly path: string;
  /** What is read again after a change. */
  readonly queryKey: readonly string[];
  readonly what: string;
  /** When, where the name does not say it. */
  readonly when?: string;
  readonly next: readonly string[];
  readonly isPaused: boolean;
}

type Wish = 'pause' | 'resume' | 'trigger' | 'delete';

/** One schedule with its next times: pause, resume, do it now, delete. */
export function ScheduleRow({ path, queryKey, what, when, next, isPaused }: ScheduleRowProps) {
  const [isDeleting, setDeleting] = useState(false);
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (wish: Wish) =>
      wish === 'delete'
        ? call(path, { method: 'DELETE' })
        : call(`${path}/${wish}`, { method: 'POST', body: {} }),
    onSuccess: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <div className={classes.schedule} role="group" aria-label={what}>
      <Group justify="space-between" align="flex-start">
        <div className={classes.what}>
          <Text size="sm">{what}</Text>
          <Text size="xs" c="dimmed" component="div">
            {when !== undefined && `${when} · `}
            {isPaused ? 'Paused' : <NextTimes next={next} />}
          </Text>
        </div>
        <Group gap={6} wrap="nowrap">
          <Button
            variant="default"
            disabled={change.isPending}
            onClick={() => change.mutate(isPaused ? 'resume' : 'pause')}
          >
            {isPaused ? 'Resume' : 'Pause'}
          </Button>
          <Button variant="default" disabled={change.isPending} onClick={() => change.mutate('trigger')}>
            Now
          </Button>
          <Button variant="default" disabled={change.isPending} onClick={() => setDeleting(true)}>
            Delete
          </Button>
        </Group>
      </Group>
      {isDeleting && (
        <DeletionQuestion
          question="Delete this schedule? What it began stays."
          confirm="Delete it"
          isPending={change.isPending}
          onDelete={() => change.mutate('delete')}
          onKeep={() => setDeleting(false)}
        />
      )}
      {change.error !== null && (
        <Text size="xs" c="red" role="alert">
          {change.error.message}
        </Text>
      )}
    </div>
  );
}

function NextTimes({ next }: { readonly next: readonly string[] }) {
  if (next.length === 0) return 'No more times';
  return (
    <>
      Next{' '}
      {next.slice(0, 3).map((time, place) => (
        <Fragment key={time}>
          {place > 0 && ', '}
          <Time value={time} />
        </Fragment>
      ))}
    </>
  );
}
