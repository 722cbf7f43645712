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
  /** The server that is left. */
  let rest: Rest;
  /** What a client's stream brought until the kill, and the rest of it by another server. */
  let first: Chunk;
  const others: Chunk[] = [];
  /** The agent of a client that waited for its answer, and the answer to its next attempt. */
  let waitedFor: string;
  let joined: unknown;

  const anAgent = async (): Promise<string> =>
    (await rest.read<{ id: string }>('POST', '/v1/agents/', agentFields)).id;

  beforeAll(async () => {
    stack = await shareTestStack(() => ({ text: words }));
    rest = createRest(stack.url);
    const server = await stack.startServer();
    const asked = { input: 'Tell me of the sea.' };
    let halfway = 0;
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    stack.model.onHalfway = () => {
      halfway += 1;
      return gate;
    };

    const stream = readStream(`${server.url}/v1/agents/${await anAgent()}/messages/stream`, {
      ...asked,
      ...{ stream_tokens: true, background: true },
    });
    ({ value: first } = (await stream.next()) as { value: Chunk });
    waitedFor = await anAgent();
    const path = `/v1/agents/${waitedFor}/messages`;
    const lost = createRest(server.url).call('POST', path, asked);
    const isLost = expect(lost).rejects.toMatchObject({ message: 'fetch failed' });
    await waitFor(() => halfway === 2 || undefined, { timeoutMs: 90_000 });
    await server.kill();
    await isLost;

    const again = createRest(stack.url, secondAttempt).read('POST', path, asked);
    goOn();
    const resumed = readStream(`${stack.url}/v1/runs/${first.run_id ?? ''}/stream`, {
      starting_after: first.seq_id,
    });
    for await (const chunk of resumed) others.push(chunk);
    joined = await again;
  });

  afterAll(() => stack.close());

  it('[rest.resume-stream] [rest.other-server] lets a client go on at another one, without a gap or a repetition', () => {
    const said = [first, ...others].filter((chunk) => chunk.message_type === 'assistant_message');

    expect(words.startsWith(first.content ?? '-')).toBe(true);
    expect(said.map((chunk) => chunk.content).join('')).toBe(words);
    expect(others.slice(-2).map((chunk) => chunk.message_type)).toEqual(['stop_reason', 'usage_statistics']);
  });

  it('[rest.joined-retry] [queue.accepted] lets the next attempt of a waiting client join the turn', async () => {
    expect(joined).toMatchObject({
      messages: [{ content: words }],
      stop_reason: { stop_reason: 'end_turn' },
    });
    expect(await rest.read('GET', `/v1/runs/?agent_id=${waitedFor}`)).toMatchObject([
      { status: 'completed' },
    ]);
    expect(await rest.read('GET', `/v1/agents/${waitedFor}/messages`)).toMatchObject([
      { message_type: 'system_message' },
      { message_type: 'user_message' },
      { content: words },
    ]);
  });
});
