import type { StreamFragment, TurnEvent } from '../../core/turns/events.js';
import type { Db } from '../../schema/db/database.js';
import type { Fence } from '../../schema/turns/fences.js';
import { appendFragments } from '../../schema/turns/events.js';

/** Fragments are written together at this interval, in ms. */
const flushEveryMs = 50;

/** The place of an answer's fragments. */
export interface StreamPlace {
  readonly stepId: string;
  readonly attempt: number;
  readonly messageId: string;
}

export interface ModelStreamOptions {
  readonly db: Db;
  readonly fence: Fence;
  readonly place: StreamPlace;
  /** Called once, where the turn no longer belongs to this execution or a newer attempt of the step has begun. */
  readonly onSuperseded: () => void;
}

/**
 * Writes an answer's fragments to the turn's log. Adjacent fragments of one kind are merged, and one write runs at a
 * time. `finish` writes the rest.
 */
export function createModelStream({ db, fence, place, onSuperseded }: ModelStreamOptions): {
  push(delta: StreamFragment): void;
  finish(): Promise<void>;
} {
  let pending: StreamFragment[] = [];
  let writing: Promise<void> | undefined;
  let lastWrite = 0;
  let failure: unknown;

  const write = async (): Promise<void> => {
    const events = pending.map((delta): TurnEvent => ({ kind: 'delta', ...place, delta }));
    pending = [];
    lastWrite = Date.now();
    if (events.length > 0 && !(await appendFragments(db, fence, { ...place, events }))) onSuperseded();
  };
  const start = (): void => {
    writing = write()
      // Kept for `finish`, which the caller awaits: a stream that can't be logged fails the attempt.
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => {
        writing = undefined;
      });
  };

  return {
    push(delta) {
      pending = coalesce(pending, delta);
      if (writing === undefined && Date.now() - lastWrite >= flushEveryMs) start();
    },
    async finish() {
      await writing;
      if (failure === undefined) await write();
      if (failure !== undefined) throw failure as Error;
    },
  };
}

function coalesce(fragments: readonly StreamFragment[], delta: StreamFragment): StreamFragment[] {
  const last = fragments.at(-1);
  if (last === undefined) return [delta];
  if (last.kind === 'tool_call') {
    const isSameCall = delta.kind === 'tool_call' && delta.index === last.index && delta.id === undefined;
    if (!isSameCall) return [...fragments, delta];
    return [
      ...fragments.slice(0, -1),
      { ...last, arguments: (last.arguments ?? '') + (delta.arguments ?? '') },
    ];
  }
  if (delta.kind !== last.kind) return [...fragments, delta];
  return [...fragments.slice(0, -1), { ...last, text: last.text + delta.text }];
}
