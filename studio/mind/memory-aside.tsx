import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useBlocks } from '../api/queries.js';
import type { Agent } from '../api/types.js';
import { Loading, Problem } from '../parts/states.js';
import { BlockValue } from './block-value.js';
import classes from './mind.module.css';

/** The agent's core memory beside the talk: each line that changes lights up once. */
export function MemoryAside({ agent }: { readonly agent: Agent }) {
  const blocks = useBlocks(agent.id);
  return (
    <aside className={classes.aside} aria-label="Core memory">
      {blocks.isPending && <Loading />}
      {blocks.error !== null && <Problem error={blocks.error} />}
      {blocks.data?.map((block) => (
        <section key={block.id} className={classes.asideBlock}>
          <Group justify="space-between" mb={4}>
            <Anchor
              component={Link}
              to={`/agents/${agent.id}/mind/${block.id}`}
              size="xs"
              fw={600}
              c="inherit"
            >
              {block.label}
            </Anchor>
            <Text size="xs" c="dimmed">
              r{block.revision}
            </Text>
          </Group>
          <BlockValue value={block.value} />
        </section>
      ))}
    </aside>
  );
}
