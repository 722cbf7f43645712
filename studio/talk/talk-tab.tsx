import { useMemo } from 'react';
import { useMessages } from '../api/queries.js';
import type { Agent } from '../api/types.js';
import { MemoryAside } from '../mind/memory-aside.js';
import { Empty, Loading, Problem } from '../parts/states.js';
import { Composer } from './composer.js';
import { toEntries } from './entries.js';
import { useLiveTurn } from './live-turns.js';
import { LiveState } from './live-state.js';
import { Transcript } from './transcript.js';
import classes from './talk.module.css';

/** The conversation with an agent, and beside it the memory that changes as it speaks. */
export function TalkTab({ agent }: { readonly agent: Agent }) {
  const history = useMessages(agent.id);
  const { live, queued } = useLiveTurn(agent.id);
  const entries = useMemo(() => {
    const stored = history.data?.pages.toReversed().flat() ?? [];
    const known = new Set(stored.map(({ id }) => id));
    const all = toEntries([...stored, ...(live?.messages ?? []).filter(({ id }) => !known.has(id))]);
    // The instructions are in Context, and heartbeats speak to the agent alone.
    return all.filter(({ kind }) => kind !== 'notice');
  }, [history.data, live?.messages]);
  return (
    <div className={classes.tab}>
      <section className={classes.talk} aria-label="Conversation">
        {history.isPending && <Loading lines={8} />}
        {history.error !== null && history.data === undefined && (
          <Problem error={history.error} onRetry={() => void history.refetch()} />
        )}
        {history.isSuccess && entries.length === 0 && live === undefined && (
          <Empty title={`Say something to ${agent.name}`}>
            What it learns goes into its memory, at the right, as it speaks.
          </Empty>
        )}
        {history.data !== undefined && (
          <Transcript
            entries={entries}
            agentId={agent.id}
            name={agent.name}
            hasOlder={history.hasNextPage}
            onOlder={() => {
              if (!history.isFetchingNextPage) void history.fetchNextPage();
            }}
          />
        )}
        <LiveState live={live} queued={queued} agentId={agent.id} />
        <Composer agentId={agent.id} isBusy={live !== undefined} />
      </section>
      <MemoryAside agent={agent} />
    </div>
  );
}
