import { Text, UnstyledButton } from '@mantine/core';
import { useFork } from '../agents/forking.js';
import classes from './talk.module.css';

/** Copies the agent as it was at this message, and opens the copy. Shown where the pointer or the focus is. */
export function ForkFrom({ messageId, agentId }: { readonly messageId: string; readonly agentId: string }) {
  const fork = useFork(agentId);
  return (
    <>
      <UnstyledButton
        className={classes.forkFrom ?? ''}
        data-busy={fork.isPending}
        disabled={fork.isPending}
        onClick={() => fork.mutate({ message_id: messageId })}
      >
        {fork.isPending ? 'Forking …' : 'Fork from here'}
      </UnstyledButton>
      {fork.error !== null && (
        <Text size="xs" c="red" role="alert">
          {fork.error.message}
        </Text>
      )}
    </>
  );
}
