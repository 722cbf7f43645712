import { ActionIcon, Button, Group, Menu, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { call, download } from '../api/client.js';
import type { Agent } from '../api/types.js';
import { Problem } from '../parts/states.js';
import { useFork } from './forking.js';

/** What can be done with a whole agent: fork, export, delete. */
export function AgentMenu({ agent }: { readonly agent: Agent }) {
  const [isDeleting, deletion] = useDisclosure();
  const fork = useFork(agent.id);
  const saving = useMutation({
    mutationFn: () => download(`/v1/agents/${agent.id}/export`),
    onSuccess: (file) => save(file, `${agent.name}.af`),
  });
  const problem = fork.error ?? saving.error;
  return (
    <>
      <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`More about ${agent.name}`}>
            ⋯
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => fork.mutate({ name: `${agent.name} (fork)` })}>
            Fork as it is now
          </Menu.Item>
          <Menu.Item onClick={() => saving.mutate()}>Export as an agent file (.af)</Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" onClick={deletion.open}>
            Delete …
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {problem !== null && <Problem error={problem} />}
      <Modal
        opened={isDeleting}
        onClose={deletion.close}
        title={`Delete ${agent.name}?`}
        transitionProps={{ duration: 0 }}
      >
        <Deletion agent={agent} onClose={deletion.close} />
      </Modal>
    </>
  );
}

function Deletion({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const deletion = useMutation({
    mutationFn: () => call(`/v1/agents/${agent.id}`, { method: 'DELETE' }),
    onSuccess: () => {
      void navigate('/');
      void queries.invalidateQueries({ queryKey: ['agents'] });
    },
  });
  return (
    <>
      <Text size="sm" mb="md">
        Its messages, its memory and its schedules are deleted, and what runs for it is cancelled. Blocks that
        others share live on. This can’t be undone; an export brings a copy back.
      </Text>
      {deletion.error !== null && <Problem error={deletion.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Keep
        </Button>
        <Button color="red" loading={deletion.isPending} onClick={() => deletion.mutate()}>
          Delete
        </Button>
      </Group>
    </>
  );
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
