import { Button, Group, Text } from '@mantine/core';

/** Asks in place whether something is to be deleted. */
export function DeletionQuestion({
  question,
  confirm = 'Delete',
  isPending,
  onDelete,
  onKeep,
}: {
  readonly question: string;
  /** What the red button says. */
  readonly confirm?: string;
  readonly isPending: boolean;
  readonly onDelete: () => void;
  readonly onKeep: () => void;
}) {
  return (
    <Group gap={6} mt={6}>
      <Text size="sm">{question}</Text>
      <Button color="red" loading={isPending} onClick={onDelete}>
        {confirm}
      </Button>
      <Button variant="default" onClick={onKeep}>
        Keep
      </Button>
    </Group>
  );
}
