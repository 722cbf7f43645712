import { setCurrentDetails } from '@temporalio/workflow';
import type { TurnProgress } from './protocol.js';

/** What the Temporal UI and the progress query show of a running execution: names and numbers only. */
export interface Progress {
  begin(turnId: string): void;
  step(index: number): void;
  doing(what: string): void;
  now(): TurnProgress;
}

/** Lines kept in the details, so that a turn of a hundred steps does not show a hundred lines. */
const linesKept = 20;

export function createProgress(): Progress {
  let state: TurnProgress = { turnId: null, step: 0, doing: 'waiting' };
  let lines: readonly string[] = [];

  const show = (): void => {
    const hidden = lines.length > linesKept ? [`- … ${lines.length - linesKept} earlier`] : [];
    setCurrentDetails([`**${state.turnId ?? ''}**`, '', ...hidden, ...lines.slice(-linesKept)].join('\n'));
  };

  return {
    begin(turnId) {
      state = { turnId, step: 0, doing: 'waiting' };
      lines = [];
      show();
    },
    step(index) {
      state = { ...state, step: index + 1, doing: 'model' };
    },
    doing(what) {
      state = { ...state, doing: what };
      lines = [...lines, `- ${state.step > 0 ? `step ${state.step} · ` : ''}${what}`];
      show();
    },
    now: () => state,
  };
}
