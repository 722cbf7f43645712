import { endedMark, turnChannel } from '../schema/turns/events.js';
import { createHints, type Hints } from './hints.js';

/** Hints that turns have new events. */
export interface TurnListener {
  /** Resolves at the next hint for the turn (`ended`: only that it has ended), after `withinMs`, or when aborted. */
  next(turnId: string, options: { ended: boolean; withinMs: number; signal?: AbortSignal }): Promise<void>;
  close(): Promise<void>;
}

/** Connects at first use: workers never use it. */
export function createTurnListener(databaseUrl: string): TurnListener {
  let hints: Hints | undefined;
  return {
    next(turnId, { ended, ...options }) {
      hints ??= createHints(databaseUrl, turnChannel, (payload) =>
        payload.endsWith(endedMark) ? [payload.slice(0, -endedMark.length), payload] : [payload],
      );
      return hints.next(ended ? turnId + endedMark : turnId, options);
    },
    async close() {
      await hints?.close();
    },
  };
}
