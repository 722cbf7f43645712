import { setTimeout as delay } from 'node:timers/promises';
import { isOutage } from '../schema/db/outages.js';

/** How long a database that is away is left alone before it is asked again, in ms. */
const pauseMs = 500;

/**
 * What `read` gives, however often the database goes away meanwhile. Only for reads after a message was accepted: an
 * error would make its sender post it again. Throws what `read` throws otherwise, and AbortError when aborted.
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
