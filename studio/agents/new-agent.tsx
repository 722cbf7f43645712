import { Button, FileButton, Select, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { call } from '../api/client.js';
import { useModels } from '../api/queries.js';
import type { Agent } from '../api/types.js';
import { Form, FormDialog } from '../parts/form.js';

/** Creates an agent: with a name, a model and its first memory, or from an agent file. */
export function NewAgent({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <FormDialog title="New agent" isOpen={isOpen} onClose={onClose}>
      <NewAgentForm onClose={onClose} />
    </FormDialog>
  );
}

function NewAgentForm({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [model, setModel] = useState<string | null>(null);
  const [human, setHuman] = useState('');
  const [persona, setPersona] = useState('');
  const open = useOpenNew(onClose);
  const models = useModels();
  const creation = useMutation({
    mutationFn: () =>
      call<Agent>('/v1/agents', {
        body: {
          name: name.trim() === '' ? undefined : name.trim(),
          model: model ?? models.data?.[0]?.handle,
          memory_blocks: [
            { label: 'human', value: human },
            { label: 'persona', value: persona },
          ],
        },
      }),
    onSuccess: (agent) => open(agent.id),
  });
  const upload = useMutation({
    mutationFn: (file: File) => {
      const body = new FormData();
      body.append('file', file);
      return call<{ agent_ids: string[] }>('/v1/agents/import', { body });
    },
    onSuccess: ({ agent_ids: [first] }) => open(first),
  });
  const uploadButton = (
    <FileButton accept=".af,application/json" onChange={(file) => file !== null && upload.mutate(file)}>
      {(props) => (
        <Button variant="subtle" color="gray" loading={upload.isPending} {...props}>
          From an agent file (.af) …
        </Button>
      )}
    </FileButton>
  );
  return (
    <Form
      submit="Create"
      isPending={creation.isPending}
      error={creation.error ?? upload.error ?? models.error}
      onSubmit={() => creation.mutate()}
      otherButton={uploadButton}
    >
      <TextInput
        label="Name"
        data-autofocus
        value={name}
        placeholder="Ada"
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label="Model"
        data={models.data?.map(({ handle }) => handle) ?? []}
        value={model ?? models.data?.[0]?.handle ?? null}
        onChange={setModel}
        searchable
        nothingFoundMessage="No model. Set a provider’s key in .env and start the server again."
      />
      <Textarea
        label="What it knows about you"
        description="The block `human`. The agent keeps it up to date."
        autosize
        minRows={2}
        value={human}
        onChange={(event) => setHuman(event.currentTarget.value)}
      />
      <Textarea
        label="Who it is"
        description="The block `persona`."
        autosize
        minRows={2}
        value={persona}
        onChange={(event) => setPersona(event.currentTarget.value)}
      />
      <Text size="xs" c="dimmed">
        Both blocks, the model and the tools can be changed later.
      </Text>
    </Form>
  );
}

function useOpenNew(onClose: () => void): (agentId: string | undefined) => void {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (agentId) => {
    void queries.invalidateQueries({ queryKey: ['agents'] });
    onClose();
    if (agentId !== undefined) void navigate(`/agents/${agentId}`);
  };
}
