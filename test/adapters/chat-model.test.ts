import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { LLMock } from '@copilotkit/aimock';
import { createModels } from '../../adapters/models/models.js';
import type { CompleteOptions } from '../../adapters/models/model.js';
import type { ModelDelta, ModelRequest } from '../../core/models/model.js';

const mock = new LLMock({ port: 0, logLevel: 'silent' });
const sendMessage = {
  name: 'send_message',
  description: 'Speaks.',
  parameters: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
} as const;

beforeAll(async () => {
  await mock.start();
});
afterAll(() => mock.stop());
afterEach(() => {
  mock.reset();
});

describe('a chat completions model', () => {
  it('[model.stream] streams text in fragments that add up to the answer, and reports usage', async () => {
    mock.onMessage(
      'hello',
      {
        content: 'Good morning to you.',
        usage: { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 },
      },
      { chunkSize: 5 },
    );
    const deltas: ModelDelta[] = [];

    const answer = await ask('hello', { onDelta: (delta) => deltas.push(delta) });

    expect(answer).toMatchObject({ text: 'Good morning to you.', toolCalls: [], finishReason: 'stop' });
    expect(answer.usage).toMatchObject({ promptTokens: 11, completionTokens: 5, totalTokens: 16 });
    expect(deltas.flatMap((delta) => (delta.kind === 'text' ? [delta.text] : [])).join('')).toBe(answer.text);
    expect(deltas.length).toBeGreaterThan(1);
  });

  it('[model.stream] assembles streamed tool calls, with id and name before the arguments', async () => {
    const calls = [
      { name: 'send_message', arguments: '{"message":"One moment, please."}' },
      { name: 'archival_memory_search', arguments: '{"query":"tea"}' },
    ];
    mock.onMessage('search', { toolCalls: calls });
    const deltas: ModelDelta[] = [];

    const answer = await ask('search', { onDelta: (delta) => deltas.push(delta) });

    expect(answer.finishReason).toBe('tool_calls');
    expect(answer.toolCalls.map((call) => ({ name: call.name, arguments: call.arguments }))).toEqual(calls);
    expect(new Set(answer.toolCalls.map((call) => call.id)).size).toBe(2);
    const second = deltas.filter((delta) => delta.kind === 'tool_call' && delta.index === 1);
    expect(second[0]).toMatchObject({ id: answer.toolCalls[1]!.id, name: 'archival_memory_search' });
    expect(second.map((delta) => (delta.kind === 'tool_call' ? (delta.arguments ?? '') : '')).join('')).toBe(
      '{"query":"tea"}',
    );
  });

  it('[model.stream] separates reasoning from text', async () => {
    mock.onMessage('why', { content: 'Because.', reasoning: 'They want a reason.' });

    const answer = await ask('why');

    expect(answer).toMatchObject({ text: 'Because.', reasoning: 'They want a reason.' });
  });

  it('sends tools, tool choice, images and settings in the protocol’s format', async () => {
    mock.on({}, { content: 'ok' });
    const request: ModelRequest = {
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image', url: 'data:image/png;base64,AAAA' },
          ],
        },
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: 'call_1', name: 'send_message', arguments: '{"message":"hm"}' }],
        },
        { role: 'tool', toolCallId: 'call_1', content: 'OK' },
      ],
      tools: [sendMessage],
      toolChoice: { name: 'send_message' },
      settings: { temperature: 0.2, maxOutputTokens: 50, parallelToolCalls: false },
    };

    await models().resolve('openai/gpt-4o').complete(request, { idempotencyKey: 'step-1' });

    const sent = mock.getLastRequest()!;
    expect(sent.headers).toMatchObject({ 'idempotency-key': expect.stringMatching(/^step-1-/) });
    expect(sent.body).toMatchObject({
      model: 'gpt-4o',
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.2,
      max_tokens: 50,
      parallel_tool_calls: false,
      tools: [{ type: 'function', function: { name: 'send_message', parameters: sendMessage.parameters } }],
      tool_choice: { type: 'function', function: { name: 'send_message' } },
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function' }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'OK' },
      ],
    });
  });

  it('sends reasoning models the newer token limit and no temperature', async () => {
    mock.on({}, { content: 'ok' });

    await models()
      .resolve('openai/gpt-5-mini')
      .complete({ ...said('hi'), settings: { temperature: 1, maxOutputTokens: 9, reasoningEffort: 'low' } });

    const body = mock.getLastRequest()!.body as unknown as Record<string, unknown>;
    expect(body).toMatchObject({ max_completion_tokens: 9, reasoning_effort: 'low' });
    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('max_tokens');
  });

  it('[model.retry-after] reports how long a rate limit lasts', async () => {
    mock.on({}, { error: { message: 'slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 7 });

    await expect(ask('hello')).rejects.toMatchObject({
      type: 'Model.RateLimited',
      retryable: true,
      retryAfterMs: 7_000,
      status: 429,
    });
    expect(mock.getRequests()).toHaveLength(1);
  });

  it.each([
    ['a connection that the server drops', { disconnectRate: 1 }],
    ['an answer that is not JSON', { malformedRate: 1 }],
    ['a server that fails', { dropRate: 1 }],
  ])('classifies %s as unavailable', async (_, chaos) => {
    mock.on({}, { content: 'never seen' }, { chaos });

    await expect(ask('hello')).rejects.toMatchObject({ type: 'Model.Unavailable', retryable: true });
  });

  it('classifies a stream that is cut off as unavailable', async () => {
    mock.on({}, { content: 'a long answer that does not arrive' }, { chunkSize: 4, truncateAfterChunks: 3 });

    await expect(ask('hello')).rejects.toMatchObject({ type: 'Model.Unavailable', retryable: true });
  });

  it('rejects with the caller’s reason when the caller aborts during an answer', async () => {
    mock.on({}, { content: 'word '.repeat(20) }, { chunkSize: 5, latency: 20 });
    const abort = new AbortController();
    const reason = new Error('the turn was cancelled');

    const answer = ask('hello', {
      signal: abort.signal,
      onDelta: () => {
        abort.abort(reason);
      },
    });

    await expect(answer).rejects.toBe(reason);
  });

  it('ends an answer that exceeds its timeout', async () => {
    mock.on({}, { content: 'word '.repeat(10) }, { chunkSize: 5, latency: 50 });

    await expect(ask('hello', { timeoutMs: 100 })).rejects.toMatchObject({
      type: 'Model.Timeout',
      retryable: true,
    });
  });
});

describe('one JSON body in reply to a streaming request', () => {
  let body: unknown;
  const server: Server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  const askServer = () => {
    const { port } = server.address() as AddressInfo;
    const local = createModels({ vllm: { baseUrl: `http://127.0.0.1:${port}` } });
    return local.resolve('vllm/any').complete(said('hello'));
  };
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('is read as an answer', async () => {
    body = { choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }] };

    expect(await askServer()).toMatchObject({ text: 'Hello.', finishReason: 'stop' });
  });

  it('fails with the error in the body', async () => {
    body = { error: { message: 'upstream is busy', code: 429 } };

    await expect(askServer()).rejects.toMatchObject({
      type: 'Model.RateLimited',
      retryable: true,
      detail: 'upstream is busy',
    });
  });
});

function models() {
  return createModels({ openai: { baseUrl: `${mock.url}/v1` } });
}

function said(text: string): ModelRequest {
  return { messages: [{ role: 'user', content: text }], tools: [], toolChoice: 'auto', settings: {} };
}

function ask(text: string, options: CompleteOptions = {}) {
  return models().resolve('openai/gpt-4o').complete(said(text), options);
}
