import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createModels } from '../../adapters/models/models.js';
import type { CompleteOptions } from '../../adapters/models/model.js';
import type { SilenceLimits } from '../../adapters/models/silence.js';
import type { ModelRequest } from '../../core/models/model.js';

type Behaviour = (response: ServerResponse) => void | Promise<void>;

const chunk = (text: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: finish }] })}\n\n`;

describe('a model', () => {
  let behave: Behaviour = () => undefined;
  const asked: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers);
    request.resume();
    void behave(response);
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const stream = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
  };
  const said = (text: string): ModelRequest => ({
    messages: [{ role: 'user', content: text }],
    tools: [],
    toolChoice: 'auto',
    settings: {},
  });
  const ask = (limits: Partial<SilenceLimits>, options: CompleteOptions = {}, text = 'Hello.') => {
    const { port } = server.address() as AddressInfo;
    const silence = { firstByteMs: 20_000, betweenMs: 20_000, ...limits };
    const models = createModels({ vllm: { baseUrl: `http://127.0.0.1:${port}` } }, silence);
    return models.resolve('vllm/any').complete(said(text), options);
  };

  it.each<[string, Behaviour]>([
    ['nothing', () => undefined],
    [
      'its headers',
      (response) => {
        stream(response);
        response.flushHeaders();
      },
    ],
  ])('fails with a retryable timeout after sending %s [model.silent]', async (_, behaviour) => {
    behave = behaviour;

    await expect(ask({ firstByteMs: 150 })).rejects.toMatchObject({ type: 'Model.Timeout', retryable: true });
  });

  it('fails with a retryable timeout when it falls silent during an answer [model.silent]', async () => {
    behave = (response) => {
      stream(response);
      response.write(chunk('One mom'));
    };
    const heard: unknown[] = [];

    const answer = ask({ betweenMs: 150 }, { onDelta: (delta) => heard.push(delta) });

    await expect(answer).rejects.toMatchObject({ type: 'Model.Timeout', retryable: true });
    expect(heard).toEqual([{ kind: 'text', text: 'One mom' }]);
  });

  it('may be slow while it sends signs of life [model.silent]', async () => {
    behave = async (response) => {
      stream(response);
      for (let beat = 0; beat < 10; beat += 1) {
        response.write(': thinking\n\n');
        await delay(100);
      }
      response.end(chunk('Here.', 'stop'));
    };

    expect(await ask({ betweenMs: 600 })).toMatchObject({ text: 'Here.', finishReason: 'stop' });
  });

  it('is done after its finish reason even if the connection stays open [model.silent]', async () => {
    behave = (response) => {
      stream(response);
      response.write(chunk('Done.', 'stop'));
    };

    expect(await ask({ betweenMs: 150 })).toMatchObject({ text: 'Done.', finishReason: 'stop' });
  });

  it('is stopped during a burst as soon as the listener aborts [model.burst]', async () => {
    behave = (response) => {
      stream(response);
      response.write(chunk('word '.repeat(200)).repeat(60));
    };
    const enough = new AbortController();
    const reason = new Error('enough');
    let characters = 0;

    const answer = ask(
      {},
      {
        signal: enough.signal,
        onDelta: (delta) => {
          if (delta.kind === 'text') characters += delta.text.length;
          if (characters > 20_000) enough.abort(reason);
        },
      },
    );

    await expect(answer).rejects.toBe(reason);
    expect(characters).toBe(21_000);
  });

  it('receives the same key for the same request and another key otherwise [model.same-key]', async () => {
    behave = (response) => void response.writeHead(503).end();
    const from = asked.length;
    const attempt = (text: string, step: string) =>
      ask({}, { idempotencyKey: step }, text).catch(() => undefined);

    await attempt('Hello.', 'step-1');
    await attempt('Hello.', 'step-1');
    await attempt('Hello there.', 'step-1');
    await attempt('Hello.', 'step-2');

    const keys = asked.slice(from).map((headers) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^step-1-[0-9a-f]{32}$/);
    expect([keys[1] === keys[0], new Set(keys).size]).toEqual([true, 3]);
  });
});
