import { setTimeout as delay } from 'node:timers/promises';
import { isOutage } from '../schema/db/outages.js';

/** The pause before an unreachable database is asked again, in ms. */
const pauseMs = 500;

/**
 * Repeats `read` until the database answers. Only for reads after a message was accepted: an error would make its sender
 * post it again. Throws what else `read` throws, and AbortError when aborted.
 */
export async function throughOutages<T>(read: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!isOutage(error)) throw error;
      await delay(pauseMs, undefined, signal === undefined ? {} : { signal });
    }
  }
}
