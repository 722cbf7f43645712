import { endedMark, turnChannel } from '../schema/turn-events.js';
import { createHints } from './hints.js';

/** Hints that turns' logs have grown. */
export interface TurnListener {
  /** Resolves at the next hint for the turn (`ended`: only that it has ended), after `withinMs`, or when aborted. */
  next(turnId: string, options: { ended: boolean; withinMs: number; signal?: AbortSignal }): Promise<void>;
  close(): Promise<void>;
}

export function createTurnListener(databaseUrl: string): TurnListener {
  const hints = createHints(databaseUrl, turnChannel, (payload) =>
    payload.endsWith(endedMark) ? [payload.slice(0, -endedMark.length), payload] : [payload],
  );
  return {
    next: (turnId, { ended, ...options }) => hints.next(ended ? turnId + endedMark : turnId, options),
    close: () => hints.close(),
  };
}
