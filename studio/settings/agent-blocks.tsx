import { Anchor, Button, Group, Select, Text, Title } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Agent, Block } from '../api/types.js';
import { Problem } from '../parts/states.js';
import { NewBlock } from './new-block.js';
import { useAgentChange, useBlocksLabelled } from './queries.js';
import classes from './settings.module.css';

const shownLetters = 60;

/** The blocks of the agent's core memory: attach one that exists, make one, detach one. */
export function AgentBlocks({ agent }: { readonly agent: Agent }) {
  const [letters, setLetters] = useState('');
  const [asked] = useDebouncedValue(letters, 200);
  const found = useBlocksLabelled(asked);
  const change = useAgentChange(agent.id);
  const [isMaking, making] = useDisclosure();
  const has = new Set(agent.blocks.map(({ id }) => id));
  const others = found.data?.filter(({ id }) => !has.has(id)) ?? [];
  return (
    <section aria-label="Blocks">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Memory blocks</Title>
        <Group gap={6}>
          <Select
            aria-label="Attach a block"
            placeholder="Attach a block of others"
            w={260}
            searchable
            searchValue={letters}
            onSearchChange={setLetters}
            filter={({ options }) => options}
            nothingFoundMessage="No block has such a label."
            data={others.map((block) => ({ value: block.id, label: describe(block) }))}
            value={null}
            onChange={(id) =>
              id !== null &&
              change.mutate({ path: `/core-memory/blocks/attach/${id}`, method: 'PATCH', body: {} })
            }
          />
          <Button onClick={making.open}>New block</Button>
        </Group>
      </Group>
      {found.error !== null && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {change.error !== null && <Problem error={change.error} />}
      <ul className={classes.list} aria-label="Attached blocks">
        {agent.blocks.map((block) => (
          <li key={block.id} className={classes.item}>
            <div className={classes.what}>
              <Anchor component={Link} size="sm" to={`/agents/${agent.id}/mind/${block.id}`}>
                {block.label}
              </Anchor>
              <Text size="xs" c="dimmed" lineClamp={2}>
                {block.description ?? block.value}
              </Text>
            </div>
            <Button
              variant="default"
              size="compact-xs"
              loading={change.isPending}
              aria-label={`Detach ${block.label}`}
              onClick={() =>
                change.mutate({ path: `/core-memory/blocks/detach/${block.id}`, method: 'PATCH' })
              }
            >
              Detach
            </Button>
          </li>
        ))}
      </ul>
      <NewBlock agent={agent} isOpen={isMaking} onClose={making.close} />
    </section>
  );
}

/** Many blocks have the same label: their first letters tell them apart. */
function describe({ label, value }: Block): string {
  const [line = ''] = value.split('\n');
  return line === '' ? label : `${label}: ${line.slice(0, shownLetters)}`;
}
