import { Button, Group, Slider, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { useFork } from '../agents/forking.js';
import type { Agent, Block } from '../api/types.js';
import { BlockValue } from './block-value.js';
import { revisionsOf, useAsOf } from './queries.js';
import { Time } from '../parts/times.js';
import classes from './mind.module.css';

/** The whole core memory at any moment of the agent's life, and a fork from there. Each mark is a change of a block. */
export function LifeSlider({ agent, blocks }: { readonly agent: Agent; readonly blocks: readonly Block[] }) {
  const moments = useMoments(blocks);
  const [place, setPlace] = useState<number>();
  const at = place === undefined ? undefined : moments[place];
  const past = useAsOf(blocks, at);
  if (moments.length < 2) return null;
  return (
    <section className={classes.life} aria-label="The memory at an earlier time">
      <Group gap="md" wrap="nowrap">
        <Text size="xs" c="dimmed" className={classes.lifeLabel ?? ''}>
          {at === undefined ? (
            'Now'
          ) : (
            <>
              As of <Time value={at} />
            </>
          )}
        </Text>
        <Slider
          flex={1}
          size="sm"
          min={0}
          max={moments.length - 1}
          value={place ?? moments.length - 1}
          label={null}
          thumbLabel="Moment of the agent’s life"
          onChange={(value) => setPlace(value === moments.length - 1 ? undefined : value)}
        />
        <Fork agent={agent} at={at} />
      </Group>
      {at !== undefined && past.data !== undefined && (
        <div className={classes.past}>
          {blocks.map(({ id, label }) => {
            const revision = past.data.get(id);
            return (
              <div key={id} className={classes.asideBlock}>
                <Text size="xs" fw={600} mb={4}>
                  {label} {revision !== undefined && `· r${revision.revision}`}
                </Text>
                {revision === undefined ? (
                  <Text size="sm" c="dimmed">
                    Not made yet
                  </Text>
                ) : (
                  <BlockValue value={revision.value} />
                )}
              </div>
            );
          })}
        </div>
      )}
    </section>
  );
}

/** When any of the blocks changed, oldest first. */
function useMoments(blocks: readonly Block[]): readonly string[] {
  return useQueries({
    queries: blocks.map(({ id }) => revisionsOf(id)),
    combine: (results) =>
      [...new Set(results.flatMap(({ data = [] }) => data.map((one) => one.created_at)))].sort(),
  });
}

function Fork({ agent, at }: { readonly agent: Agent; readonly at: string | undefined }) {
  const fork = useFork(agent.id, 'mind');
  return (
    <>
      {fork.error !== null && (
        <Text size="xs" c="red" role="alert">
          {fork.error.message}
        </Text>
      )}
      <Button
        variant="default"
        loading={fork.isPending}
        onClick={() => fork.mutate({ at, name: `${agent.name} (fork)` })}
      >
        Fork from here
      </Button>
    </>
  );
}
