import { Anchor, Text } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { useBlocks } from '../api/queries.js';
import type { Agent } from '../api/types.js';
import { Empty, Loading, Problem } from '../parts/states.js';
import { BlockCard } from './block-card.js';
import { BlockHistory } from './block-history.js';
import { LifeSlider } from './life-slider.js';
import classes from './mind.module.css';

/** The agent's core memory: what it says now, who wrote each line, and what it said at any time before. */
export function MindTab({ agent }: { readonly agent: Agent }) {
  const blocks = useBlocks(agent.id);
  const { '*': blockId = '' } = useParams();
  if (blocks.isPending) return <Loading lines={8} />;
  if (blocks.error !== null) return <Problem error={blocks.error} onRetry={() => void blocks.refetch()} />;
  const chosen = blocks.data.find(({ id }) => id === blockId);
  if (blocks.data.length === 0)
    return (
      <Empty title="No memory blocks">
        <Anchor component={Link} to={`/agents/${agent.id}/settings`}>
          Create or attach one in Settings
        </Anchor>
      </Empty>
    );
  return (
    <div className={classes.mind}>
      <div className={classes.cards}>
        <LifeSlider agent={agent} blocks={blocks.data} />
        {blocks.data.map((block) => (
          <BlockCard key={block.id} agent={agent} block={block} isChosen={block.id === blockId} />
        ))}
        {blockId !== '' && chosen === undefined && (
          <Text size="sm" c="dimmed">
            The block of this address is not attached to {agent.name}.
          </Text>
        )}
      </div>
      {chosen !== undefined && <BlockHistory key={chosen.id} agent={agent} block={chosen} />}
    </div>
  );
}
