import type { StopReason, TurnState } from './stop-reasons.js';

/** How a turn ended, as whoever asked to be called back is told it. The same at every attempt. */
export interface CallbackReport {
  readonly turnId: string;
  readonly agentId: string;
  readonly threadId: string;
  readonly state: TurnState;
  readonly stopReason: StopReason | null;
  readonly error: { readonly type: string; readonly message: string } | null;
  readonly completedAt: Date | null;
}

/** What became of one attempt to call back. */
export type CallbackAnswer =
  | { readonly kind: 'answered'; readonly status: number }
  /** We did not ask: the address is none that may be called. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unreachable'; readonly why: string };

/** `again`: after a while. */
export type CallbackVerdict = 'done' | 'again' | 'given_up';

/** How long it is tried to call back after a turn's end, in ms. */
const patienceMs = 24 * 60 * 60 * 1000;

/** Statuses that ask for another try. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** What is to be done after an attempt. `sinceMs`: how long ago the turn ended. */
export function judgeCallback(answer: CallbackAnswer, sinceMs: number): CallbackVerdict {
  if (answer.kind === 'answered' && answer.status >= 200 && answer.status < 300) return 'done';
  const mayPass =
    answer.kind === 'unreachable' ||
    (answer.kind === 'answered' && (answer.status >= 500 || passing.has(answer.status)));
  return mayPass && sinceMs < patienceMs ? 'again' : 'given_up';
}

/** Why an attempt failed, for the run; null where it did not. */
export function callbackError(answer: CallbackAnswer): string | null {
  if (answer.kind !== 'answered') return answer.why;
  if (answer.status >= 200 && answer.status < 300) return null;
  const followed = answer.status >= 300 && answer.status < 400 ? ' Redirects are not followed.' : '';
  return `It answered ${answer.status}.${followed}`;
}
