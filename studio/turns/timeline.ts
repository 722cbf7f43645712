import type { Run } from '../api/types.js';
import type { StepDetails } from './queries.js';

/** A bar of a turn's timeline. Times are in ms since the turn was accepted. */
export interface Bar {
  readonly key: string;
  readonly kind: 'wait' | 'model' | 'tools';
  readonly title: string;
  readonly start: number;
  readonly length: number;
}

const nsPerMs = 1e6;

/** What a turn spent its time on: the wait for a worker, then model and tools of each step. `now` ends what still runs. */
export function toBars(run: Run, steps: readonly StepDetails[], now: number): Bar[] {
  const accepted = Date.parse(run.created_at);
  const [first] = steps;
  const firstAt = first === undefined ? now : first.times.step_start_ns / nsPerMs;
  const wait: Bar = {
    key: 'wait',
    kind: 'wait',
    title: 'Waiting',
    start: 0,
    length: Math.max(0, firstAt - accepted),
  };
  return [
    wait,
    ...steps.flatMap(({ step, times }, place): Bar[] => {
      const start = Math.max(0, times.llm_request_start_ns / nsPerMs - accepted);
      const isOpen = times.llm_request_ns === null && step.status === 'pending';
      const modelMs =
        times.llm_request_ns === null
          ? isOpen
            ? now - accepted - start
            : 0
          : times.llm_request_ns / nsPerMs;
      const title = `Step ${place + 1}`;
      const model: Bar = {
        key: `${step.id}:model`,
        kind: 'model',
        title: `${title} · ${step.model}`,
        start,
        length: modelMs,
      };
      if (times.tool_execution_ns === null) return [model];
      const tools: Bar = {
        key: `${step.id}:tools`,
        kind: 'tools',
        title: `${title} · tools`,
        start: start + modelMs,
        length: times.tool_execution_ns / nsPerMs,
      };
      return [model, tools];
    }),
  ];
}
