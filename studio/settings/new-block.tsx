import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import type { Agent, Block } from '../api/types.js';
import { Problem } from '../parts/states.js';

interface NewBlockProps {
  readonly agent: Agent;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Makes a block and attaches it to the agent. */
export function NewBlock({ agent, isOpen, onClose }: NewBlockProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="New block" size="lg" transitionProps={{ duration: 0 }}>
      {isOpen && <NewBlockForm agent={agent} onClose={onClose} />}
    </Modal>
  );
}

function NewBlockForm({ agent, onClose }: Omit<NewBlockProps, 'isOpen'>) {
  const [label, setLabel] = useState('');
  const [description, setDescription] = useState('');
  const [value, setValue] = useState('');
  // A block that could not be attached is not made a second time.
  const [made, setMade] = useState<string>();
  const queries = useQueryClient();
  const creation = useMutation({
    mutationFn: async () => {
      const body = { label: label.trim(), value, description: description.trim() || undefined };
      const id = made ?? (await call<Block>('/v1/blocks', { body })).id;
      setMade(id);
      return call(`/v1/agents/${agent.id}/core-memory/blocks/attach/${id}`, { method: 'PATCH', body: {} });
    },
    onSuccess: () => {
      onClose();
      return queries.invalidateQueries({ queryKey: keys.agent(agent.id) });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        creation.mutate();
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="Label"
          data-autofocus
          required
          placeholder="project"
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <TextInput
          label="Description"
          description="The agent reads it: what belongs into the block."
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <Textarea
          label="Value"
          autosize
          minRows={3}
          maxRows={16}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
        />
        {creation.error !== null && <Problem error={creation.error} />}
        <Group justify="flex-end">
          <Button type="submit" disabled={label.trim() === ''} loading={creation.isPending}>
            Make and attach
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
