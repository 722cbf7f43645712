import { Button, Group, Textarea } from '@mantine/core';
import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import { toQuery } from '../api/queries.js';
import type { Agent, Passage } from '../api/types.js';
import { Empty, Loading, Problem } from '../parts/states.js';
import { PassageView } from './passage-view.js';
import classes from './recall.module.css';

const passagesPerPage = 50;

/** The agent's archive: its newest passages, or those that fit a query, the best first. */
export function Passages({ agent, query }: { readonly agent: Agent; readonly query: string }) {
  const key = ['passages', agent.id];
  const list = useInfiniteQuery({
    queryKey: [...key, 'list'],
    enabled: query === '',
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call<Passage[]>(
        `/v1/agents/${agent.id}/archival-memory?${toQuery({ limit: passagesPerPage, ascending: false, after: pageParam })}`,
        { signal },
      ),
    getNextPageParam: (page) => (page.length < passagesPerPage ? undefined : page.at(-1)?.id),
  });
  const found = useQuery({
    queryKey: [...key, 'search', query],
    enabled: query !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const results = await call<{ passage: Passage }[]>('/v1/passages/search', {
        body: { agent_id: agent.id, query, limit: 50 },
        signal,
      });
      return results.map(({ passage }) => passage);
    },
  });
  const pinned = useQuery({
    queryKey: [...key, 'pinned'],
    queryFn: ({ signal }) => call<Passage[]>(`/v1/agents/${agent.id}/archival-memory/pinned`, { signal }),
  });
  const shown = query === '' ? list : found;
  const passages = query === '' ? list.data?.pages.flat() : found.data;
  const pins = new Set(pinned.data?.map(({ id }) => id));
  return (
    <>
      <NewPassage agentId={agent.id} />
      {shown.isPending && <Loading lines={6} />}
      {shown.error !== null && <Problem error={shown.error} onRetry={() => void shown.refetch()} />}
      {passages?.length === 0 &&
        (query === '' ? (
          <Empty title="The archive is empty">
            The agent stores passages by itself; you can add one here.
          </Empty>
        ) : (
          <Empty title="Nothing found">Try other words.</Empty>
        ))}
      <ul className={classes.list} aria-label="Passages">
        {passages?.map((passage) => (
          <PassageView
            key={passage.id}
            agentId={agent.id}
            passage={passage}
            query={query}
            isPinned={pins.has(passage.id)}
          />
        ))}
      </ul>
      {query === '' && list.hasNextPage && (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show older ones
        </Button>
      )}
    </>
  );
}

function NewPassage({ agentId }: { readonly agentId: string }) {
  const [text, setText] = useState('');
  const queries = useQueryClient();
  const creation = useMutation({
    mutationFn: () => call(`/v1/agents/${agentId}/archival-memory`, { body: { text } }),
    onSuccess: () => {
      setText('');
      return queries.invalidateQueries({ queryKey: ['passages', agentId] });
    },
  });
  return (
    <>
      <Group align="flex-end" gap={6} mb="sm" wrap="nowrap">
        <Textarea
          flex={1}
          autosize
          minRows={1}
          maxRows={12}
          aria-label="A new passage"
          placeholder="Add a passage"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button disabled={text.trim() === ''} loading={creation.isPending} onClick={() => creation.mutate()}>
          Add
        </Button>
      </Group>
      {creation.error !== null && <Problem error={creation.error} />}
    </>
  );
}
