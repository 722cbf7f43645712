import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openCallbacks } from '../../../adapters/web/callbacks.js';
import { createGroup } from '../../../schema/groups/groups.js';
import type { App } from '../../../server/deps.js';
import type { LettaResponse } from '../../../server/turns/letta-response-wire.js';
import type { WireRun } from '../../../server/turns/runs-wire.js';
import { waitFor } from '../../../stack/waiting.js';
import { sweep } from '../../../worker/sweep.js';
import type { TestRuntime } from '../../support/runtime/runtime.js';
import { createScriptedModels, saying } from '../../support/models/scripted-model.js';
import { startRuntimeServer } from '../runtime-app.js';
import { stainlessHeaders } from '../test-server.js';

interface Call {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

describe('the callback of a run', () => {
  const models = createScriptedModels();
  const calls: Call[] = [];
  /** The receiver's statuses by path. The last one repeats. */
  const answers = new Map<string, number[]>();
  let runtime: TestRuntime;
  let app: App;
  let close: () => Promise<void>;
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
    ({ runtime, app, close } = await startRuntimeServer({ models }));
  });

  afterAll(async () => {
    await close();
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

  /** Returns the run after a callback attempt has had this status. */
  const called = async ({ id }: Pick<WireRun, 'id'>, status: number): Promise<WireRun> => {
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

  it('posts how the run ended and is shown on the run [callback.posted]', async () => {
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

  it('is retried with the same body until the receiver accepts it [callback.retried]', async () => {
    answers.set('/busy', [503, 200]);
    await called(await send('/busy'), 200);
    const [first, second, ...more] = callsTo('/busy');

    expect(second?.body).toEqual(first?.body);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(more).toEqual([]);
  });

  it('stores the reason of a final failure on the run [callback.retried]', async () => {
    answers.set('/gone', [404]);
    const run = await called(await send('/gone'), 404);
    await sweep(runtime);

    expect(run).toMatchObject({ status: 'completed', callback_error: 'It answered 404.' });
    expect(callsTo('/gone')).toHaveLength(1);
  });

  it('is sent by the next sweep when the report could not be started [callback.retried]', async () => {
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
    'refuses the private address %s by default [callback.private]',
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

  it('is posted even when a client waits, and names the conversation [callback.posted]', async () => {
    const { id } = await runtime.anAgent();
    const made = await app.inject({ method: 'POST', url: `/v1/conversations?agent_id=${id}`, payload: {} });
    const conversation = JSON.parse(made.body) as { id: string };
    models.script(saying('Done.'), saying('Done, too.'));
    const ask = async (path: string, name: string): Promise<LettaResponse> => {
      const { body } = await app.inject({
        method: 'POST',
        url: path,
        payload: { input: 'Do it.', streaming: false, callback_url: `${url}/${name}` },
      });
      return JSON.parse(body) as LettaResponse;
    };

    const waited = await ask(`/v1/agents/${id}/messages`, 'waited');
    const spoken = await ask(`/v1/conversations/${conversation.id}/messages`, 'spoken');
    for (const { usage } of [waited, spoken]) {
      await called({ id: usage.run_ids?.[0] ?? '' }, 200);
    }

    expect(callsTo('/waited')).toMatchObject([{ body: { agent_id: id, conversation_id: null } }]);
    expect(callsTo('/spoken')).toMatchObject([
      { body: { conversation_id: conversation.id, status: 'completed' } },
    ]);
  });

  it('is posted once for a group’s talk, with its last run [callback.posted]', async () => {
    const agents = [await runtime.anAgent(), await runtime.anAgent()];
    const group = await createGroup(runtime.db, {
      managerType: 'round_robin',
      agentIds: agents.map(({ id }) => id),
      description: 'Plans a picnic.',
    });
    models.script(saying('Bread.'), saying('Cheese.'));
    const { body } = await app.inject({
      method: 'POST',
      url: `/v1/groups/${group.id}/messages`,
      payload: { input: 'What?', callback_url: `${url}/talked` },
    });
    const [first, last] = (JSON.parse(body) as LettaResponse).usage.run_ids ?? [];

    await called({ id: last ?? '' }, 200);
    await sweep(runtime);

    expect(callsTo('/talked')).toMatchObject([{ body: { run_id: last, agent_id: agents[1]!.id } }]);
    const other = await app.inject({ method: 'GET', url: `/v1/runs/${first ?? ''}` });
    expect(JSON.parse(other.body)).toMatchObject({ status: 'completed', callback_url: null });
  });

  it('must be an HTTP URL [callback.posted]', async () => {
    const { id } = await runtime.anAgent();

    const answer = await app.inject({
      method: 'POST',
      url: `/v1/agents/${id}/messages/async`,
      payload: { messages: [{ role: 'user', content: 'Do it.' }], callback_url: 'ftp://example.com' },
    });

    expect(answer.statusCode).toBe(422);
    expect(answer.body).toMatch(/must be a URL that begins with http/);
  });
});
