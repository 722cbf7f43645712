import { ActionIcon, Badge, Group, Progress, Text, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import type { Agent, Block } from '../api/types.js';
import { EditIcon, HistoryIcon, UndoIcon } from '../parts/icons.js';
import { BlockEditor } from './block-editor.js';
import { BlockValue } from './block-value.js';
import { Holders } from './holders.js';
import classes from './mind.module.css';

interface BlockCardProps {
  readonly agent: Agent;
  readonly block: Block;
  readonly isChosen: boolean;
}

/** One block: what it says, how full it is, with whom it is shared, and edit, undo and history. */
export function BlockCard({ agent, block, isChosen }: BlockCardProps) {
  const [isEditing, setEditing] = useState(false);
  const navigate = useNavigate();
  const store = useStoreBlock(agent.id);
  const undo = useMutation({
    mutationFn: () =>
      call<Block>(`/v1/blocks/${block.id}/undo`, {
        method: 'POST',
        headers: { 'if-match': `"${block.revision}"` },
      }),
    onSuccess: store,
  });
  return (
    <article className={classes.card} data-chosen={isChosen} aria-label={`Block ${block.label}`}>
      <Group justify="space-between" wrap="nowrap" mb={6}>
        <Group gap={8} miw={0}>
          <Text fw={600}>{block.label}</Text>
          {block.read_only && (
            <Badge size="xs" variant="default">
              read only
            </Badge>
          )}
          <Holders agent={agent} blockId={block.id} />
        </Group>
        <Group gap={2} wrap="nowrap">
          <Tooltip label="Undo the last change">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Undo the last change of ${block.label}`}
              disabled={block.revision === 1}
              loading={undo.isPending}
              onClick={() => undo.mutate()}
            >
              <UndoIcon />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="History">
            <ActionIcon
              variant={isChosen ? 'light' : 'subtle'}
              color={isChosen ? 'pine' : 'gray'}
              aria-label={`History of ${block.label}`}
              aria-pressed={isChosen}
              onClick={() => void navigate(`/agents/${agent.id}/mind/${isChosen ? '' : block.id}`)}
            >
              <HistoryIcon />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Edit">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Edit ${block.label}`}
              onClick={() => setEditing(true)}
            >
              <EditIcon />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {isEditing ? (
        <BlockEditor block={block} onDone={() => setEditing(false)} onStored={store} />
      ) : (
        <BlockValue value={block.value} />
      )}
      {undo.error !== null && (
        <Text size="xs" c="red" role="alert" mt={4}>
          {undo.error.message}
        </Text>
      )}
      <Fullness length={Array.from(block.value).length} limit={block.limit} revision={block.revision} />
    </article>
  );
}

function Fullness({
  length,
  limit,
  revision,
}: {
  readonly length: number;
  readonly limit: number;
  readonly revision: number;
}) {
  const share = limit === 0 ? 0 : (100 * length) / limit;
  return (
    <Group gap={8} mt={8} wrap="nowrap">
      <Progress
        value={share}
        size={3}
        w={64}
        color={share > 90 ? 'orange' : 'pine'}
        aria-label="How full the block is"
      />
      <Text size="xs" c="dimmed">
        {length.toLocaleString('en')} of {limit.toLocaleString('en')} characters · revision {revision}
      </Text>
    </Group>
  );
}

/** Puts a block that a request answered where the page reads it. */
function useStoreBlock(agentId: string): (block: Block) => void {
  const queries = useQueryClient();
  return (block) => {
    queries.setQueryData<Block[]>(keys.blocks(agentId), (blocks) =>
      blocks?.map((one) => (one.id === block.id && one.revision <= block.revision ? block : one)),
    );
    void queries.invalidateQueries({ queryKey: keys.block(block.id) });
  };
}
