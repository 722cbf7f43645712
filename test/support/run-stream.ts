import { readEventStream } from '../../stack/tour/event-stream.js';

/** One piece of a run's stream, as far as tests look at it. */
export interface StreamedChunk {
  readonly seq_id: number;
  readonly run_id: string;
  readonly message_type: string;
}

/** A stream that is being read. */
export interface ReadStream {
  /** What came so far. */
  readonly chunks: readonly StreamedChunk[];
  /** True once the stream ended as a whole; false where it broke off. Throws where the server refused it. */
  readonly ended: Promise<boolean>;
}

/** Posts the body and reads the server-sent events of the answer, in the background. */
export function readRunStream(url: string, headers: Record<string, string>, body: object): ReadStream {
  const chunks: StreamedChunk[] = [];
  const read = async (): Promise<boolean> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 200 || response.body === null) {
      throw new Error(`POST ${url} answered ${String(response.status)}: ${await response.text()}`);
    }
    for await (const data of whole(readEventStream(response.body))) {
      if (data === '[DONE]') return true;
      chunks.push(JSON.parse(data) as StreamedChunk);
    }
    return false;
  };
  const ended = read();
  // Awaited later: until then its failure must not count as one that nobody sees.
  ended.catch(() => undefined);
  return { chunks, ended };
}

/** The events until the end, or until the server is gone: that breaks the body. */
async function* whole(events: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof TypeError && error.message === 'terminated')) throw error;
  }
}
