import type { StopReason, TurnState } from './stop-reasons.js';

/** The report of a turn's end to a callback URL, the same at every attempt. */
export interface CallbackReport {
  readonly turnId: string;
  readonly agentId: string;
  readonly threadId: string;
  readonly state: TurnState;
  readonly stopReason: StopReason | null;
  readonly error: { readonly type: string; readonly message: string } | null;
  readonly completedAt: Date | null;
}

/** The outcome of one attempt. */
export type CallbackAnswer =
  | { readonly kind: 'answered'; readonly status: number }
  /** No request was sent: the address may not be called. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unreachable'; readonly why: string };

/** `again`: try later. */
export type CallbackVerdict = 'done' | 'again' | 'given_up';

/** For how long after a turn's end it is reported, in ms. */
const patienceMs = 24 * 60 * 60 * 1000;

/** Statuses that allow another attempt. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** What to do after an attempt. `sinceMs`: time since the turn's end. */
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
