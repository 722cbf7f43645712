import { Anchor, HoverCard, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Agent } from '../api/types.js';
import { useHolders } from './queries.js';

/** With whom a block is shared; nothing where it is the agent's alone. */
export function Holders({ agent, blockId }: { readonly agent: Agent; readonly blockId: string }) {
  const { data: holders = [] } = useHolders(blockId);
  const others = holders.filter(({ id }) => id !== agent.id);
  if (others.length === 0) return null;
  const count =
    holders.length === 20
      ? '20 or more agents'
      : `${others.length} ${others.length === 1 ? 'agent' : 'agents'}`;
  return (
    <HoverCard position="bottom-start" transitionProps={{ duration: 0 }}>
      <HoverCard.Target>
        <Text size="xs" c="dimmed" tabIndex={0}>
          shared with {count}
        </Text>
      </HoverCard.Target>
      <HoverCard.Dropdown>
        {others.map(({ id, name }) => (
          <Anchor key={id} component={Link} to={`/agents/${id}/mind/${blockId}`} size="sm" display="block">
            {name}
          </Anchor>
        ))}
      </HoverCard.Dropdown>
    </HoverCard>
  );
}
