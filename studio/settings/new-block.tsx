import { Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import type { Agent, Block } from '../api/types.js';
import { Form, FormDialog } from '../parts/form.js';

interface NewBlockProps {
  readonly agent: Agent;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Creates a block and attaches it to the agent. */
export function NewBlock({ agent, isOpen, onClose }: NewBlockProps) {
  return (
    <FormDialog title="New block" isOpen={isOpen} onClose={onClose}>
      <NewBlockForm agent={agent} onClose={onClose} />
    </FormDialog>
  );
}

function NewBlockForm({ agent, onClose }: Omit<NewBlockProps, 'isOpen'>) {
  const [label, setLabel] = useState('');
  const [description, setDescription] = useState('');
  const [value, setValue] = useState('');
  // A second try attaches the block that the first one created.
  const [created, setCreated] = useState<string>();
  const queries = useQueryClient();
  const creation = useMutation({
    mutationFn: async () => {
      const body = { label: label.trim(), value, description: description.trim() || undefined };
      const id = created ?? (await call<Block>('/v1/blocks', { body })).id;
      setCreated(id);
      return call(`/v1/agents/${agent.id}/core-memory/blocks/attach/${id}`, { method: 'PATCH', body: {} });
    },
    onSuccess: () => {
      onClose();
      return queries.invalidateQueries({ queryKey: keys.agent(agent.id) });
    },
  });
  return (
    <Form
      submit="Create and attach"
      isReady={label.trim() !== ''}
      isPending={creation.isPending}
      error={creation.error}
      onSubmit={() => creation.mutate()}
    >
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
    </Form>
  );
}
