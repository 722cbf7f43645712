/** One server-sent event, unnamed unless `event` is given (clients of generation 1 drop events with other names). */
export function toSse(data: object, event?: 'error'): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}

/** A server-sent event of a stream that is not Letta's: it has a name, and an id after which a reader can resume. */
export function toNamedSse(event: {
  readonly name: string;
  readonly id?: number;
  readonly data: object;
}): string {
  const id = event.id === undefined ? '' : `id: ${event.id}\n`;
  return `event: ${event.name}\n${id}data: ${JSON.stringify(event.data)}\n\n`;
}

/** Marks the end of a stream, for clients that wait for this mark instead of the connection's end. */
export const sseDone = 'data: [DONE]\n\n';

/** Keeps a connection alive: a comment, which every reader of event streams skips. */
export const sseComment = ': keep-alive\n\n';

/**
 * Passes `source` on, with a keep-alive whenever it is silent for `everyMs`: proxies cut silent connections. Ends with the
 * source; if it is ended early, it ends the source.
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
