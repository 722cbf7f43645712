import { Anchor, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { call } from '../api/client.js';
import { keys } from '../api/queries.js';
import type { Agent, ContextHistory as History } from '../api/types.js';
import { Empty, Loading, Problem } from '../parts/states.js';
import { Time } from '../parts/times.js';
import { CacheBars } from './cache-bars.js';
import classes from './context.module.css';

type Epoch = History['epochs'][number];
type Eviction = History['evictions'][number];

const methods = {
  summarised: 'A summary stands for them.',
  summarised_in_chunks: 'A summary, made in parts, stands for them.',
  hard: 'A notice stands for them: there was no summary in time.',
} as const;

/** Where the prompt was compiled again, where messages left the context, and what the provider's cache held. */
export function ContextHistory({ agent }: { readonly agent: Agent }) {
  const history = useQuery({
    queryKey: [...keys.agent(agent.id), 'context', 'history'],
    queryFn: ({ signal }) => call<History>(`/v1/agents/${agent.id}/context/history`, { signal }),
  });
  if (history.isPending) return <Loading lines={8} />;
  if (history.error !== null) return <Problem error={history.error} onRetry={() => void history.refetch()} />;
  const events = toEvents(history.data);
  if (events.length === 0)
    return <Empty title="No steps yet">The first epoch begins with the agent’s first step.</Empty>;
  return (
    <>
      <CacheBars agentId={agent.id} />
      <Title order={2} mt="md" mb={4}>
        Epochs and evictions
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        Within an epoch the prompt stays the same to the byte, so that the provider’s cache holds.
      </Text>
      <ol className={classes.history} aria-label="Epochs and evictions, newest first">
        {events.map((event) =>
          event.kind === 'epoch' ? (
            <EpochRow key={event.epoch.id} epoch={event.epoch} agentId={agent.id} />
          ) : (
            <EvictionRow key={event.eviction.id} eviction={event.eviction} agentId={agent.id} />
          ),
        )}
      </ol>
    </>
  );
}

type Event =
  | { readonly kind: 'epoch'; readonly at: string; readonly epoch: Epoch }
  | { readonly kind: 'eviction'; readonly at: string; readonly eviction: Eviction };

function toEvents({ epochs, evictions }: History): readonly Event[] {
  return [
    ...epochs.map((epoch): Event => ({ kind: 'epoch', at: epoch.began_at, epoch })),
    ...evictions.map((eviction): Event => ({ kind: 'eviction', at: eviction.at, eviction })),
  ].toSorted((one, other) => other.at.localeCompare(one.at));
}

function EpochRow({ epoch, agentId }: { readonly epoch: Epoch; readonly agentId: string }) {
  const cached =
    epoch.prompt_tokens === 0 ? 0 : Math.round((100 * epoch.cached_tokens) / epoch.prompt_tokens);
  const begins =
    epoch.first_prompt_tokens === 0
      ? ''
      : `begins with ${epoch.first_prompt_tokens.toLocaleString('en')} tokens · ${cached} % of all from the cache`;
  return (
    <li>
      <div className={classes.event}>
        <Text size="sm" fw={600}>
          Epoch {epoch.number}
        </Text>
        <Time value={epoch.began_at} />
        <Text size="sm" c="dimmed">
          {[`${epoch.steps} ${epoch.steps === 1 ? 'step' : 'steps'}`, begins].filter(Boolean).join(' · ')}
        </Text>
        <Anchor
          component={Link}
          size="xs"
          to={`/agents/${agentId}/turns/${epoch.run_id}?request=${epoch.first_step_id}`}
        >
          Its first request
        </Anchor>
      </div>
    </li>
  );
}

function EvictionRow({ eviction, agentId }: { readonly eviction: Eviction; readonly agentId: string }) {
  const { messages, tokens_before: before, tokens_after: after } = eviction;
  return (
    <li data-kind="eviction">
      <div className={classes.event}>
        <Text size="sm" fw={600}>
          {messages} {messages === 1 ? 'message' : 'messages'} left the context
        </Text>
        <Time value={eviction.at} />
        <Text size="sm" c="dimmed">
          {before.toLocaleString('en')} → {after.toLocaleString('en')} tokens · {methods[eviction.method]}
        </Text>
        <Anchor component={Link} size="xs" to={`/agents/${agentId}/turns/${eviction.run_id}`}>
          Its turn
        </Anchor>
      </div>
    </li>
  );
}
