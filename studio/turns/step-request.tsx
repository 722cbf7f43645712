import { CloseButton, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { StepRequest as Asked } from '../api/types.js';
import { RequestView } from '../parts/request-view.js';
import { Loading, Problem } from '../parts/states.js';
import classes from './turns.module.css';

interface StepRequestProps {
  readonly stepId: string;
  /** How the page calls the step. */
  readonly title: string;
  readonly onClose: () => void;
}

/** What a step's model was sent, compiled again from what is stored. */
export function StepRequest({ stepId, title, onClose }: StepRequestProps) {
  const asked = useQuery({
    queryKey: ['step', stepId, 'request'],
    queryFn: ({ signal }) => call<Asked>(`/v1/steps/${stepId}/request`, { signal }),
  });
  return (
    <section aria-label={`Request of ${title}`} className={classes.request}>
      <Group justify="space-between" mb="xs">
        <Title order={2}>What {title} was sent</Title>
        <CloseButton aria-label="Close the request" onClick={onClose} />
      </Group>
      {asked.isPending && <Loading lines={8} />}
      {asked.error !== null && <Problem error={asked.error} onRetry={() => void asked.refetch()} />}
      {asked.data !== undefined && (
        <>
          {doubtsAbout(asked.data).map((doubt) => (
            <Text key={doubt} size="xs" c="dimmed" mb={4}>
              {doubt}
            </Text>
          ))}
          <RequestView request={asked.data.request} />
        </>
      )}
    </section>
  );
}

/** In what the request may differ from the one that was sent. */
function doubtsAbout(asked: Asked): readonly string[] {
  return [
    ...(asked.prompt === 'compiled_again'
      ? [
          'The prompt is no longer stored. It is compiled from the memory as it was then, and from instructions, tools and files as they are now.',
        ]
      : []),
    ...(asked.shortened ? ['Long messages were shortened to fit the window; here they are whole.'] : []),
    ...(asked.agent_changed
      ? ['The agent was changed since. Settings such as temperature are those of now.']
      : []),
  ];
}
