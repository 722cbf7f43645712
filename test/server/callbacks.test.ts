import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openCallbacks } from '../../adapters/web/callbacks.js';
import type { App } from '../../server/deps.js';
import type { WireRun } from '../../server/wire/runs.js';
import { waitFor } from '../../stack/waiting.js';
import { sweep } from '../../worker/sweep.js';
import { startRuntime, type TestRuntime } from '../support/runtime.js';
import { createScriptedModels, saying } from '../support/scripted-model.js';
import { createRuntimeApp } from './runtime-app.js';
import { stainlessHeaders } from './test-server.js';

interface Call {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

describe('runs that call back', () => {
  const models = createScriptedModels();
  const calls: Call[] = [];
  /** What the receiver answers, by path; the last one stays. */
  const answers = new Map<string, number[]>();
  let runtime: TestRuntime;
  let app: App;
  let receiver: Server;
  let url: string;

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      void (async () => {
        let text = '';
        for await (const chunk of request) text += String(chunk);
        const { url: path = '', headers } = request;
        calls.push({ path, headers, body: JSON.parse(text) as Record<string, unknown> });
        const left = answers.get(path) ?? [200];
        response.writeHead((left.length > 1 ? left.shift() : left[0]) ?? 200).end('{}');
      })();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    runtime = await startRuntime({ models });
    await runtime.startWorker();
    app = createRuntimeApp(runtime);
  });

  afterAll(async () => {
    await app.close();
    await runtime.close();
    receiver.close();
  });

  const send = async (path: string): Promise<WireRun> => {
    const { id } = await runtime.anAgent();
    models.script(saying('Done.'));
    const answer = await app.inject({
      method: 'POST',
      url: `/v1/agents/${id}/messages/async`,
      headers: stainlessHeaders,
      payload: { messages: [{ role: 'user', content: 'Do it.' }], callback_url: `${url}${path}` },
    });
    expect(answer.statusCode).toBe(200);
    return JSON.parse(answer.body) as WireRun;
  };

  /** The run once an attempt to call back has had this status. */
  const called = async ({ id }: WireRun, status: number): Promise<WireRun> => {
    await runtime.turns.result(id);
    await sweep(runtime);
    const read = async (): Promise<WireRun | undefined> => {
      const { body } = await app.inject({ method: 'GET', url: `/v1/runs/${id}` });
      const run = JSON.parse(body) as WireRun;
      return run.callback_status_code === status ? run : undefined;
    };
    const run = await waitFor(read, { timeoutMs: 90_000 });
    if (run === undefined) throw new Error(`Run ${id} was not called back with ${status}.`);
    return run;
  };

  const callsTo = (path: string): readonly Call[] => calls.filter((call) => call.path === path);

  it('post how they ended, and show it [callback.posted]', async () => {
    const sent = await send('/taken');
    const run = await called(sent, 200);
    const [call, ...more] = callsTo('/taken');

    expect(sent).toMatchObject({ callback_url: `${url}/taken`, callback_sent_at: null });
    expect(run).toMatchObject({ status: 'completed', callback_error: null });
    expect(call?.headers).toMatchObject({ 'idempotency-key': run.id, 'content-type': 'application/json' });
    expect(call?.body).toEqual({
      run_id: run.id,
      status: 'completed',
      stop_reason: run.stop_reason,
      completed_at: run.completed_at,
      agent_id: run.agent_id,
      conversation_id: null,
      metadata: {},
    });
    expect(more).toEqual([]);
  });

  it('are reported again with the same body until somebody takes it [callback.retried]', async () => {
    answers.set('/busy', [503, 200]);
    await called(await send('/busy'), 200);
    const [first, second, ...more] = callsTo('/busy');

    expect(second?.body).toEqual(first?.body);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(more).toEqual([]);
  });

  it('say why nobody was told, where that is final [callback.retried]', async () => {
    answers.set('/gone', [404]);
    const run = await called(await send('/gone'), 404);
    await sweep(runtime);

    expect(run).toMatchObject({ status: 'completed', callback_error: 'It answered 404.' });
    expect(callsTo('/gone')).toHaveLength(1);
  });

  it('are reported by the next sweep where a report could not be started [callback.retried]', async () => {
    const run = await send('/later');
    await runtime.turns.result(run.id);
    const failures: unknown[] = [];
    const unreachable = new Error('Temporal is not there.');
    await sweep({
      ...runtime,
      reports: { start: () => Promise.reject(unreachable) },
      onFailed: (error) => failures.push(error),
    });

    expect(failures).toEqual([unreachable]);
    expect(await called(run, 200)).toMatchObject({ callback_error: null });
    expect(callsTo('/later')).toHaveLength(1);
  });

  it.each(['http://127.0.0.1:1/', 'http://localhost:1/', 'http://[::1]:1/', 'http://169.254.169.254/'])(
    'call no private address such as %s unless that is allowed [callback.private]',
    async (address) => {
      const report = {
        ...{ turnId: 'run-1', agentId: 'agent-1', threadId: 'agent-1', state: 'completed' as const },
        ...{ stopReason: 'end_turn' as const, error: null, completedAt: null },
      };
      const { signal } = new AbortController();

      const answer = await openCallbacks({ allowsPrivate: false }).post(address, report, signal);

      expect(answer).toMatchObject({ kind: 'refused', why: expect.stringContaining('private network') });
    },
  );

  it.each([
    ['/messages', 'https://example.com', /only runs that nobody waits for/],
    ['/messages/stream', 'https://example.com', /only runs that nobody waits for/],
    ['/messages/async', 'ftp://example.com', /must be a URL that begins with http/],
  ])('are refused over %s with %s [callback.posted]', async (path, callbackUrl, sentence) => {
    const { id } = await runtime.anAgent();

    const answer = await app.inject({
      method: 'POST',
      url: `/v1/agents/${id}${path}`,
      payload: { messages: [{ role: 'user', content: 'Do it.' }], callback_url: callbackUrl },
    });

    expect(answer.statusCode).toBe(422);
    expect(answer.body).toMatch(sentence);
  });
});
