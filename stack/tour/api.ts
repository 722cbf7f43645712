import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readEventStream } from './event-stream.js';
import type {
  ShownAgent,
  ShownBlock,
  ShownMessage,
  ShownPassage,
  ShownRun,
  ShownStep,
  StreamEvent,
} from './shapes.js';

/** The part of the REST API that the tour uses. */
export interface TourApi {
  countAgents(): Promise<number>;
  createAgent(request: object): Promise<ShownAgent>;
  blocks(agentId: string): Promise<readonly ShownBlock[]>;
  passages(agentId: string): Promise<readonly ShownPassage[]>;
  run(runId: string): Promise<ShownRun>;
  runSteps(runId: string): Promise<readonly ShownStep[]>;
  runMessages(runId: string): Promise<readonly ShownMessage[]>;
  /** Sends a user's message and streams its turn to the end. A broken stream is resumed where it stopped. */
  streamTurn(agentId: string, text: string): AsyncGenerator<StreamEvent>;
}

export interface TourApiOptions {
  /** The base URL. */
  readonly url: string;
  readonly password?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told when a stream broke and is being resumed. */
  readonly onBroken?: (after: number) => void;
}

/** Thrown when the API refuses something, or a turn fails; its message says what to do. */
export class TourError extends Error {
  override readonly name = 'TourError';
}

const resumePauseMs = 500;
const mostResumes = 60;
/** More than any list of the tour has. */
const all = 'limit=1000&order=asc';

export function createTourApi(options: TourApiOptions): TourApi {
  const get = async <T>(path: string): Promise<T> => readBody<T>(await ask(options, path));
  return {
    countAgents: () => get('/v1/agents/count'),
    createAgent: async (request) => readBody(await ask(options, '/v1/agents', { body: request })),
    blocks: (agentId) => get(`/v1/agents/${agentId}/core-memory/blocks`),
    passages: (agentId) => get(`/v1/agents/${agentId}/archival-memory?limit=1000`),
    run: (runId) => get(`/v1/runs/${runId}`),
    runSteps: (runId) => get(`/v1/runs/${runId}/steps?${all}`),
    runMessages: (runId) => get(`/v1/runs/${runId}/messages?${all}`),
    streamTurn: (agentId, text) => streamTurn(options, agentId, text),
  };
}

async function* streamTurn(
  options: TourApiOptions,
  agentId: string,
  text: string,
): AsyncGenerator<StreamEvent> {
  // Makes the send safe to repeat as long as the run's id is not known.
  const key = randomUUID();
  const body = { messages: [{ role: 'user', content: text }] };
  const seen = { runId: undefined as string | undefined, seq: 0 };
  for (let resumes = 0; ; resumes += 1) {
    try {
      const response =
        seen.runId === undefined
          ? await ask(options, `/v1/agents/${agentId}/messages/stream`, { body, key })
          : await ask(options, `/v1/runs/${seen.runId}/stream`, { body: { starting_after: seen.seq } });
      for await (const event of readTurnEvents(response)) {
        seen.runId = event.run_id;
        seen.seq = event.seq_id;
        yield event;
        if (isLast(event)) return;
      }
    } catch (error) {
      if (error instanceof TourError || options.signal?.aborted === true) throw error;
    }
    if (resumes >= mostResumes) throw new TourError(`The stream of ${agentId} keeps breaking.`);
    options.onBroken?.(seen.seq);
    await delay(resumePauseMs, undefined, { signal: options.signal });
  }
}

async function* readTurnEvents(response: Response): AsyncGenerator<StreamEvent> {
  if (response.body === null) return;
  for await (const data of readEventStream(response.body)) {
    // Pings and the end mark have no position in the run.
    const event = data === '[DONE]' ? undefined : (JSON.parse(data) as Partial<StreamEvent>);
    if (event?.seq_id != null) yield event as StreamEvent;
  }
}

/** A turn's last event: what it cost, or why it failed. */
function isLast(event: StreamEvent): boolean {
  return event.message_type === 'usage_statistics' || event.message_type === 'error_message';
}

async function ask(
  { url, password, signal }: TourApiOptions,
  path: string,
  post?: { readonly body: object; readonly key?: string },
): Promise<Response> {
  const response = await fetch(`${url}${path}`, {
    headers: {
      ...(post === undefined ? {} : { 'content-type': 'application/json' }),
      ...(password === undefined ? {} : { authorization: `Bearer ${password}` }),
      ...(post?.key === undefined ? {} : { 'idempotency-key': post.key }),
    },
    ...(post === undefined ? {} : { method: 'POST', body: JSON.stringify(post.body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.ok) return response;
  throw new TourError(`${path} answered ${response.status}: ${readDetail(await response.text())}`);
}

/** Trusts our own server to answer what its routes promise. */
async function readBody<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

function readDetail(body: string): string {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    return typeof detail === 'string' ? detail : body;
  } catch {
    return body;
  }
}
