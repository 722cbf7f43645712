import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { waitFor } from '../../stack/waiting.js';
import { createRest, type Rest } from '../support/server/rest.js';
import { shareTestStack, type TestStack } from '../support/stack.js';

interface Chunk {
  readonly message_type: string;
  readonly content?: string;
  readonly run_id?: string;
  readonly seq_id?: number;
}

const words = 'The sea was calm, the sky was clear, and nobody had to hurry home.';
const agentFields = { model: 'openai/scripted', agent_type: 'letta_v1_agent' };
const question = { input: 'Tell me of the sea.' };
/** As the second attempt of a client of 1.x. */
const secondAttempt = { 'x-stainless-package-version': '1.12.1', 'x-stainless-retry-count': '1' };

/** The chunks of a stream of server-sent events, without its last word. */
async function* readStream(url: string, body: object): AsyncGenerator<Chunk> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const events = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const { data } of events ?? []) if (data !== '[DONE]') yield JSON.parse(data) as Chunk;
}

describe('kill -9 of a server in the middle of two answers', () => {
  let stack: TestStack;
  /** Of the server that is killed, and of one that goes on. */
  let doomed: Rest;
  let other: Rest;
  /** What was seen of a stream before, and a client's two attempts to wait for another turn. */
  let first: Chunk;
  let waiting: { readonly id: string; readonly lost: unknown; readonly again: Promise<unknown> };

  beforeAll(async () => {
    stack = await shareTestStack(() => ({ text: words }));
    let goOn = (): void => undefined;
    const released = new Promise<void>((resolve) => (goOn = resolve));
    let halted = 0;
    stack.model.onHalfway = () => {
      halted += 1;
      return released;
    };
    const server = await stack.startServer();
    [doomed, other] = [createRest(server.url), createRest(stack.url)];
    const streaming = await doomed.read<{ id: string }>('POST', '/v1/agents/', agentFields);
    const sent = { input: 'Tell me of the sea.', stream_tokens: true, background: true };
    const stream = readStream(`${server.url}/v1/agents/${streaming.id}/messages/stream`, sent);
    first = ((await stream.next()) as { value: Chunk }).value;
    const { id } = await doomed.read<{ id: string }>('POST', '/v1/agents/', agentFields);
    const lost = doomed.call('POST', `/v1/agents/${id}/messages`, question).then(
      () => 'answered',
      (error: unknown) => error,
    );
    await waitFor(() => (halted === 2 ? true : undefined), { timeoutMs: 90_000 });
    await server.kill();
    const again = createRest(stack.url, secondAttempt).read('POST', `/v1/agents/${id}/messages`, question);
    again.catch(() => undefined);
    waiting = { id, lost: await lost, again };
    goOn();
  });

  afterAll(async () => {
    await stack.close();
  });

  it('[rest.resume-stream] [rest.other-server] lets its client go on at another one, without a gap or a repetition', async () => {
    const resumed = readStream(`${stack.url}/v1/runs/${first.run_id ?? ''}/stream`, {
      starting_after: first.seq_id,
    });
    const others: Chunk[] = [];
    for await (const chunk of resumed) others.push(chunk);

    const said = [first, ...others].filter((chunk) => chunk.message_type === 'assistant_message');
    expect(words.startsWith(first.content ?? '-')).toBe(true);
    expect(said.map((chunk) => chunk.content).join('')).toBe(words);
    expect(others.slice(-2).map((chunk) => chunk.message_type)).toEqual(['stop_reason', 'usage_statistics']);
  });

  it('[rest.joined-retry] [queue.accepted] lets the next attempt of a waiting client join the turn', async () => {
    const { id, lost, again } = waiting;

    expect(lost).toMatchObject({ message: 'fetch failed' });
    expect(await again).toMatchObject({
      messages: [{ content: words }],
      stop_reason: { stop_reason: 'end_turn' },
    });
    expect(await other.read('GET', `/v1/runs/?agent_id=${id}`)).toMatchObject([{ status: 'completed' }]);
    expect(await other.read('GET', `/v1/agents/${id}/messages`)).toMatchObject([
      { message_type: 'system_message' },
      { message_type: 'user_message' },
      { content: words },
    ]);
  });
});
