import { setTimeout as delay } from 'node:timers/promises';
import { CancelledFailure } from '@temporalio/common';
import type { Fence } from '../schema/fences.js';
import { giveNews, isOfUse, letGo, nameOf, newsOf, type Work } from '../schema/work-in-hand.js';
import { askForNews } from '../schema/worker-lives.js';
import type { ActivityDeps } from './deps.js';
import { fenced } from './failures.js';
import type { Signals } from './keep-alive.js';

/** How often the rows are looked at by whoever waits, in ms. */
const lookEveryMs = 100;
/** How often news is asked for, and how often an activity that is forgotten looks whether it is still of use, in ms. */
const askEveryMs = 1_000;
/**
 * A worker of which nothing was heard for so long is taken for wedged, in ms. Much longer than a keep-alive: a second
 * model call is paid for, of a tool nobody knows what it did, and a worker that died is noticed at once without this.
 */
const defaultSilenceMs = 15_000;

type InHandDeps = Pick<ActivityDeps, 'db' | 'log' | 'presence' | 'isStopping' | 'silenceMs'>;

/** Work that this activity has in hand. */
export interface InHand {
  /** Lets others take it up at once. */
  letGo(): Promise<void>;
  end(): void;
}

interface Taking extends Pick<Signals, 'forgotten'> {
  readonly fence: Fence;
  readonly work: Work;
  /** Aborted where what the work comes to could not be stored any more. */
  readonly lost: AbortController;
}

/**
 * Takes work in hand until `end`: whoever asks after it is given news. Where Temporal has forgotten it, nobody
 * would tell it of its turn's end or of the worker's, so it looks for itself.
 */
export function takeInHand(
  { db, log, presence, isStopping }: InHandDeps,
  { fence, work, forgotten, lost }: Taking,
): InHand {
  const orSay = (what: string) => (error: unknown) => {
    log.warn(what, { error });
  };
  const stop = presence.whileInHand(nameOf(work), () => {
    giveNews(db, fence).catch(
      orSay(`Another worker asks after ${work.kind} ${work.id}, and could not be answered.`),
    );
  });
  const look = async (): Promise<void> => {
    if (isStopping?.() === true) lost.abort(new CancelledFailure('WORKER_SHUTDOWN'));
    else if (!(await isOfUse(db, fence, work))) lost.abort(fenced());
  };
  let looking: NodeJS.Timeout | undefined;
  const begin = (): void => {
    looking = setInterval(() => {
      look().catch(orSay(`Whether ${work.kind} ${work.id} is still of use could not be read.`));
    }, askEveryMs);
  };
  forgotten.addEventListener('abort', begin, { once: true });
  if (forgotten.aborted) begin();
  return {
    letGo: () =>
      letGo(db, work).catch(orSay(`Others may wait in vain for ${work.kind} ${work.id}, which has failed.`)),
    end() {
      stop();
      clearInterval(looking);
      forgotten.removeEventListener('abort', begin);
    },
  };
}

/** Work that the worker with this key has in hand. */
interface Elsewhere extends Signals {
  readonly fence: Fence;
  readonly work: Work;
  readonly worker: number;
}

/**
 * Waits until another's work came to something, or its worker has died. Where that worker lives and gives no news for
 * too long, the work is taken from it. Throws the reason where it is told to stop.
 */
export async function waitForOther(
  { db, silenceMs = defaultSilenceMs }: InHandDeps,
  { fence, work, worker, signal, forgotten }: Elsewhere,
): Promise<void> {
  const stopped = AbortSignal.any([signal, forgotten]);
  let heard = { news: 0, at: performance.now() };
  let askedAt = -Infinity;
  for (;;) {
    stopped.throwIfAborted();
    const news = await newsOf(db, fence, { work, worker });
    if (news === undefined) return;
    const now = performance.now();
    if (news.getTime() !== heard.news) heard = { news: news.getTime(), at: now };
    if (now - heard.at >= silenceMs) {
      await letGo(db, work);
      return;
    }
    if (now - askedAt >= askEveryMs) {
      askedAt = now;
      await askForNews(db, nameOf(work));
    }
    await delay(lookEveryMs);
  }
}
