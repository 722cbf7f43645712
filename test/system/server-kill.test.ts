import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { waitFor } from '../../stack/waiting.js';
import { createRest, type Rest } from '../support/server/rest.js';
import { shareTestStack, type StackServer, type TestStack } from '../support/stack.js';

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

describe('kill -9 of a server in the middle of an answer', () => {
  let stack: TestStack;
  /** The one that the next client asks. */
  let server: StackServer;
  let rest: Rest;
  /** Lets the model go on; it stops in the middle of each answer. */
  let release: (() => void) | undefined;

  beforeAll(async () => {
    stack = await shareTestStack(() => ({ text: words }));
    server = await stack.startServer();
    stack.model.onHalfway = () =>
      new Promise((resolve) => {
        release = resolve;
      });
  });

  afterAll(async () => {
    await stack.close();
  });

  /** Kills the server while another one starts. */
  const startOver = async (): Promise<void> => {
    [server] = await Promise.all([stack.startServer(), server.kill()]);
    rest = createRest(server.url);
  };

  const goOn = async (): Promise<void> => {
    await waitFor(() => release, { timeoutMs: 90_000 });
    release?.();
    release = undefined;
  };

  it('[rest.resume-stream] [rest.other-server] lets its client go on at another one, without a gap or a repetition', async () => {
    rest = createRest(server.url);
    const { id } = await rest.read<{ id: string }>('POST', '/v1/agents/', agentFields);
    const sent = { input: 'Tell me of the sea.', stream_tokens: true, background: true };
    const stream = readStream(`${server.url}/v1/agents/${id}/messages/stream`, sent);
    const { value: first } = (await stream.next()) as { value: Chunk };

    await startOver();
    await goOn();
    const resumed = readStream(`${server.url}/v1/runs/${first.run_id ?? ''}/stream`, {
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
    const { id } = await createRest(server.url).read<{ id: string }>('POST', '/v1/agents/', agentFields);
    const body = { input: 'Tell me of the sea.' };
    const lost = createRest(server.url).call('POST', `/v1/agents/${id}/messages`, body);
    const isLost = expect(lost).rejects.toMatchObject({ message: 'fetch failed' });
    await waitFor(() => release, { timeoutMs: 90_000 });

    await startOver();
    await isLost;
    const again = createRest(server.url, secondAttempt).read('POST', `/v1/agents/${id}/messages`, body);
    await goOn();

    expect(await again).toMatchObject({
      messages: [{ content: words }],
      stop_reason: { stop_reason: 'end_turn' },
    });
    expect(await rest.read('GET', `/v1/runs/?agent_id=${id}`)).toMatchObject([{ status: 'completed' }]);
    expect(await rest.read('GET', `/v1/agents/${id}/messages`)).toMatchObject([
      { message_type: 'system_message' },
      { message_type: 'user_message' },
      { content: words },
    ]);
  });
});
