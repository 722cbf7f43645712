import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, events } from './client.js';
import { keys } from './queries.js';
import { isOver } from './signals.js';
import type { Block, RevisionWithValue } from './types.js';

type BlockEvent = RevisionWithValue & { readonly label: string };

const pauseMs = 2_000;

/** Keeps every block that the page holds equal to the server's, by the stream of all blocks' events. */
export function useBlockEvents(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const end = new AbortController();
    const apply = (event: BlockEvent): void => {
      queries.setQueriesData<Block[]>(
        { queryKey: ['agent'], predicate: ({ queryKey }) => queryKey[2] === 'blocks' },
        (blocks) =>
          blocks?.map((block) =>
            block.id === event.block_id && block.revision < event.revision
              ? { ...block, value: event.value, revision: event.revision }
              : block,
          ),
      );
      void queries.invalidateQueries({ queryKey: keys.block(event.block_id) });
    };
    void follow(apply, () => void queries.invalidateQueries({ queryKey: ['agent'] }), end.signal);
    return () => end.abort();
  }, [queries]);
}

/** Follows the events until `signal`. A lost connection is made again, and `onBack` called: it may have missed a deletion. */
async function follow(
  apply: (event: BlockEvent) => void,
  onBack: () => void,
  signal: AbortSignal,
): Promise<void> {
  let after: string | undefined;
  for (let isFirst = true; !isOver(signal); isFirst = false) {
    if (!isFirst) onBack();
    try {
      const path = after === undefined ? '/v1/events' : `/v1/events?after=${after}`;
      for await (const { data, id } of events(path, { signal })) {
        after = id ?? after;
        apply(JSON.parse(data) as BlockEvent);
      }
    } catch (error) {
      if (!(error instanceof ApiError)) {
        if (isOver(signal)) return;
        throw error;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
