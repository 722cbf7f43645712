import { setTimeout as delay } from 'node:timers/promises';
import { CancelledFailure } from '@temporalio/common';
import { type AttemptInHand, giveNews, isNewest, letGo, newsOf } from '../schema/attempts.js';
import type { Fence } from '../schema/fences.js';
import { askForNews } from '../schema/worker-lives.js';
import type { ActivityDeps } from './deps.js';
import { fenced } from './failures.js';
import type { Signals } from './keep-alive.js';

/** How often the rows are looked at by whoever waits for another attempt, in ms. */
const lookEveryMs = 100;
/** How often news is asked for, and how often a forgotten attempt looks whether it is still of use, in ms. */
const askEveryMs = 1_000;
/**
 * A worker of which nothing was heard for so long is taken for wedged, in ms. Much longer than a keep-alive: another
 * attempt is paid for, and a worker that died is noticed at once without this.
 */
const defaultSilenceMs = 15_000;

type InHandDeps = Pick<ActivityDeps, 'db' | 'log' | 'presence' | 'isStopping' | 'silenceMs'>;
type Attempt = Pick<AttemptInHand, 'id' | 'attempt'>;

/** An attempt that this activity has in hand. */
export interface InHand {
  /** Ends the attempt where its answer could not be stored any more. */
  readonly lost: AbortController;
  /** Lets others make the next attempt at once. */
  letGo(): Promise<void>;
  end(): void;
}

interface Taking extends Pick<Signals, 'forgotten'> {
  readonly fence: Fence;
  readonly attempt: Attempt;
}

/**
 * Takes an attempt in hand until `end`: whoever asks after it is given news. Where Temporal has forgotten it, nobody
 * would tell it of its turn's end or of the worker's, so it looks for itself.
 */
export function takeInHand(
  { db, log, presence, isStopping }: InHandDeps,
  { fence, attempt, forgotten }: Taking,
): InHand {
  const lost = new AbortController();
  const orSay = (what: string) => (error: unknown) => {
    log.warn(what, { error });
  };
  const stop = presence.whileInHand(nameOf(attempt), () => {
    giveNews(db, fence).catch(orSay('Another worker asks after a model call, and could not be answered.'));
  });
  const look = async (): Promise<void> => {
    if (isStopping?.() === true) lost.abort(new CancelledFailure('WORKER_SHUTDOWN'));
    else if (!(await isNewest(db, fence, attempt))) lost.abort(fenced());
  };
  let looking: NodeJS.Timeout | undefined;
  const begin = (): void => {
    looking = setInterval(() => {
      look().catch(orSay('Whether a model call is still of use could not be read.'));
    }, askEveryMs);
  };
  forgotten.addEventListener('abort', begin, { once: true });
  if (forgotten.aborted) begin();
  return {
    lost,
    letGo: () =>
      letGo(db, attempt).catch(orSay('A model call has ended, and others may wait for it in vain.')),
    end() {
      stop();
      clearInterval(looking);
      forgotten.removeEventListener('abort', begin);
    },
  };
}

/**
 * Waits until another attempt came to something, or its worker has died. Where that worker lives and gives no news for
 * too long, the attempt is taken from it. Throws the reason where it is told to stop.
 */
export async function waitForAttempt(
  { db, silenceMs = defaultSilenceMs }: InHandDeps,
  { fence, attempt, signal, forgotten }: Signals & { readonly fence: Fence; readonly attempt: AttemptInHand },
): Promise<void> {
  const stopped = AbortSignal.any([signal, forgotten]);
  let heard = { news: 0, at: performance.now() };
  let askedAt = -Infinity;
  for (;;) {
    stopped.throwIfAborted();
    const news = await newsOf(db, fence, attempt);
    if (news === undefined) return;
    const now = performance.now();
    if (news.getTime() !== heard.news) heard = { news: news.getTime(), at: now };
    if (now - heard.at >= silenceMs) {
      await letGo(db, attempt);
      return;
    }
    if (now - askedAt >= askEveryMs) {
      askedAt = now;
      await askForNews(db, nameOf(attempt));
    }
    await delay(lookEveryMs);
  }
}

function nameOf({ id, attempt }: Attempt): string {
  return `${id} ${attempt}`;
}
