/** One server-sent event: an unnamed one unless `event` is given (clients of generation 1 drop other names). */
export function toSse(data: object, event?: 'error'): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}

/** A server-sent event of a stream of our own: it has a name, and an id from which its reader may go on. */
export function toNamedSse(event: {
  readonly name: string;
  readonly id?: number;
  readonly data: object;
}): string {
  const id = event.id === undefined ? '' : `id: ${event.id}\n`;
  return `event: ${event.name}\n${id}data: ${JSON.stringify(event.data)}\n\n`;
}

/** Ends a stream for clients that wait for a sign rather than for its end. */
export const sseDone = 'data: [DONE]\n\n';

/** Keeps a connection alive where a client asked for no pings: every reader of event streams skips it. */
export const sseComment = ': keep-alive\n\n';

/**
 * Passes `source` on, and puts a keep-alive in whenever it was silent for `everyMs`: proxies cut silent connections.
 * Ends with the source, and ends the source when it is itself ended early.
 */
export async function* withKeepAlive(
  source: AsyncIterable<string>,
  keepAlive: () => string,
  everyMs: number,
): AsyncGenerator<string> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const first = await firstOf(next, everyMs);
      if (first === 'silent') {
        yield keepAlive();
        continue;
      }
      if (first.done === true) return;
      yield first.value;
      next = iterator.next();
    }
  } finally {
    await iterator.return?.();
  }
}

async function firstOf<T>(next: Promise<T>, everyMs: number): Promise<T | 'silent'> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'silent'>((resolve) => {
    timer = setTimeout(() => {
      resolve('silent');
    }, everyMs);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}
