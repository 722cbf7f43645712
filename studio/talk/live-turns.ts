import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError, call, events } from '../api/client.js';
import { keys, useActiveRuns } from '../api/queries.js';
import { isOver } from '../api/signals.js';
import type { Message, Run } from '../api/types.js';

/** The turn that is under way, as far as its stream has told. */
export interface LiveTurn {
  readonly runId: string;
  readonly messages: readonly Message[];
  /** `waiting`: nothing came for a while. `lost`: the connection is being made again. */
  readonly state: 'running' | 'waiting' | 'lost';
  readonly problem?: string | undefined;
}

const quietMs = 6_000;
const pauseMs = 1_000;

type StreamEvent = {
  readonly message_type: string;
  readonly seq_id?: number | null;
  readonly message?: string;
  readonly detail?: string;
};

/** Follows the agent's oldest active run from its beginning; then the next one. */
export function useLiveTurn(agentId: string): { live: LiveTurn | undefined; queued: number } {
  const queries = useQueryClient();
  const { data: active = [] } = useActiveRuns(agentId);
  const [live, setLive] = useState<LiveTurn>();
  const ended = useRef(new Set<string>());
  const runId = active.find(({ id }) => !ended.current.has(id))?.id;
  useEffect(() => {
    if (runId === undefined) return;
    const end = new AbortController();
    void followRun(runId, setLive, end.signal).then(async () => {
      if (end.signal.aborted) return;
      ended.current.add(runId);
      // First the list that holds the turn's messages, then the end of their live copy: nothing flickers.
      await queries.invalidateQueries({ queryKey: keys.messages(agentId) });
      await queries.invalidateQueries({ queryKey: keys.activeRuns(agentId) });
      void queries.invalidateQueries({ queryKey: ['agent', agentId] });
      setLive((now) => (now?.runId === runId ? undefined : now));
    });
    return () => end.abort();
  }, [runId, agentId, queries]);
  return { live, queued: active.filter(({ id }) => id !== runId && !ended.current.has(id)).length };
}

/** Ends with the run. A lost connection goes on behind the last event that came. */
async function followRun(runId: string, show: (turn: LiveTurn) => void, signal: AbortSignal): Promise<void> {
  const messages: Message[] = [];
  let after: number | undefined;
  let problem: string | undefined;
  const tell = (state: LiveTurn['state']): void => show({ runId, messages: [...messages], state, problem });
  let quiet: ReturnType<typeof setTimeout> | undefined;
  const restart = (): void => {
    clearTimeout(quiet);
    quiet = setTimeout(() => tell('waiting'), quietMs);
  };
  tell('running');
  while (!isOver(signal)) {
    try {
      restart();
      const body = after === undefined ? {} : { starting_after: after };
      for await (const { data } of events(`/v1/runs/${runId}/stream`, { body, signal })) {
        if (data === '[DONE]') return;
        const event = JSON.parse(data) as StreamEvent;
        if (event.message_type === 'ping') continue;
        restart();
        after = event.seq_id ?? after;
        if (event.message_type === 'error_message') problem = event.detail ?? event.message;
        else if (isMessage(event)) messages.push(event);
        tell('running');
      }
      if (await hasEnded(runId, signal)) return;
    } catch (error) {
      if (isOver(signal)) return;
      if (error instanceof ApiError && error.status === 404) return;
      tell('lost');
    } finally {
      clearTimeout(quiet);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function hasEnded(runId: string, signal: AbortSignal): Promise<boolean> {
  const run = await call<Run>(`/v1/runs/${runId}`, { signal });
  return run.completed_at !== null;
}

function isMessage(event: StreamEvent): event is StreamEvent & Message {
  return event.message_type.endsWith('_message') && 'id' in event;
}
