import { ActionIcon, Menu, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { call, download } from '../api/client.js';
import type { Agent } from '../api/types.js';
import { DeletionQuestion } from '../parts/deletion-question.js';
import { Problem } from '../parts/states.js';
import { useFork } from './forking.js';

/** Forks, exports or deletes an agent. */
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
      <DeletionQuestion
        question="Its messages, its memory and its schedules are deleted, and its turns are cancelled. Blocks that other agents share stay. This can’t be undone, unless you export the agent first."
        isPending={deletion.isPending}
        onDelete={() => deletion.mutate()}
        onKeep={onClose}
      />
      {deletion.error !== null && <Problem error={deletion.error} />}
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
