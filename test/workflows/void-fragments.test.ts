import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LettaClient } from 'letta-client-0';
import Letta from 'letta-client-1';
import { sql } from 'kysely';
import type { App } from '../../server/deps.js';
import { waitFor } from '../../stack/waiting.js';
import { createRuntimeApp } from '../server/runtime-app.js';
import { workerEnvironment } from '../support/kills/lanes.js';
import { type ModelServer, startModelServer } from '../support/model-server.js';
import { pythonWith } from '../support/python-clients.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { createScriptedModels } from '../support/models/scripted-model.js';
import { spawnWorker, type WorkerProcess } from '../support/worker-process.js';

/** What every client shows of a chunk. */
interface Seen {
  readonly type: string;
  readonly id: string;
  readonly content: string;
  readonly abandoned: string | null;
}

const words = 'It is the song of the nightingale that you hear.';
const messages = [{ role: 'user' as const, content: 'What do I hear?' }];

describe('[turn.void-fragments] a stream whose attempt broke off, through Letta’s clients', () => {
  let runtime: TestRuntime;
  let model: ModelServer;
  let app: App;
  let baseUrl: string;
  const workers: WorkerProcess[] = [];
  let isCut = false;

  beforeAll(async () => {
    model = await startModelServer(() => ({ text: words, ...(isCut ? { cut: true as const } : {}) }));
    runtime = await startRuntime({ models: createScriptedModels() });
    app = createRuntimeApp(runtime);
    baseUrl = await app.listen({ port: 0, host: '127.0.0.1' });
  });

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await app.close();
    await model.close();
    await runtime.close();
  });

  /** The worker at work, or a new one. */
  const aWorker = async (): Promise<WorkerProcess> => workers.at(-1) ?? startWorker();

  const startWorker = async (): Promise<WorkerProcess> => {
    const worker = spawnWorker(workerEnvironment(runtime, model));
    workers.push(worker);
    await worker.ready;
    return worker;
  };

  const anAgent = () => runtime.anAgent({ model: 'openai/scripted', agentType: 'letta_v1_agent' });

  /** Does something once, when a fragment of the first answer can be seen by clients. */
  const onceShown = (agentId: string, act: () => Promise<void>): void => {
    model.onHalfway = async () => {
      model.onHalfway = undefined;
      await waitFor(
        async () => {
          const { rows } = await sql`
            select from turn_events join turns on turns.id = turn_id
            where agent_id = ${agentId} and event->>'kind' = 'delta' limit 1`.execute(runtime.db);
          return rows.length > 0 || undefined;
        },
        { timeoutMs: 60_000, everyMs: 20 },
      );
      await act();
    };
  };

  const pythonProgram = `
import json, sys
from letta_client import Letta
version, url, agent = sys.argv[1:]
say = [{"role": "user", "content": "What do I hear?"}]
if version.startswith("1."):
    stream = Letta(base_url=url, api_key="none").agents.messages.create(
        agent, messages=say, streaming=True, stream_tokens=True, include_pings=False)
else:
    stream = Letta(base_url=url, token="none").agents.messages.create_stream(agent, messages=say, stream_tokens=True)
print(json.dumps([{"type": one.message_type, "id": getattr(one, "id", ""), "content": getattr(one, "content", ""),
    "abandoned": getattr(one, "abandoned_message_id", None)} for one in stream]))
`;

  const inPython = (version: '0.1.172' | '1.12.1') => async (agentId: string) => {
    const args = ['-W', 'ignore', '-c', pythonProgram, version, baseUrl, agentId];
    const { stdout } = await promisify(execFile)(await pythonWith(version), args);
    return JSON.parse(stdout) as Seen[];
  };

  const toSeen = (chunk: object): Seen => {
    const {
      messageType,
      message_type: type = messageType,
      id = '',
      content = '',
    } = chunk as Partial<Record<string, string>>;
    const abandoned = (chunk as { abandoned_message_id?: string }).abandoned_message_id ?? null;
    return { type: type ?? '', id, content, abandoned };
  };

  const readers: Record<string, (agentId: string) => Promise<Seen[]>> = {
    'python 0.1.172': inPython('0.1.172'),
    'python 1.12.1': inPython('1.12.1'),
    'typescript 0.1.132': async (agentId) => {
      const client = new LettaClient({ baseUrl, token: 'none' });
      const seen: Seen[] = [];
      const stream = await client.agents.messages.createStream(agentId, { messages, streamTokens: true });
      for await (const chunk of stream) seen.push(toSeen(chunk));
      return seen;
    },
    'typescript 1.12.1': async (agentId) => {
      const client = new Letta({ baseURL: baseUrl, apiKey: 'none', maxRetries: 0 });
      const seen: Seen[] = [];
      const body = { messages, streaming: true as const, stream_tokens: true, include_pings: false };
      for await (const chunk of await client.agents.messages.create(agentId, body)) seen.push(toSeen(chunk));
      return seen;
    },
  };

  /** What a reader has who drops what was taken back; fails where something is left that was said twice. */
  const expectTakenBack = (seen: readonly Seen[]): void => {
    const place = seen.findIndex(({ type }) => type === 'system_message');
    const said = seen.filter(({ type }) => type === 'assistant_message');
    const ids = [...new Set(said.map(({ id }) => id))];
    const textOf = (id: string | undefined) => said.map((one) => (one.id === id ? one.content : '')).join('');

    expect(ids).toHaveLength(2);
    expect(words.startsWith(textOf(ids[0]))).toBe(true);
    expect(textOf(ids[1])).toBe(words);
    expect(seen.filter(({ type }) => type === 'system_message')).toHaveLength(1);
    expect(seen[place]?.content).toContain(ids[0]);
    expect(seen.findIndex(({ id }) => id === ids[1])).toBeGreaterThan(place);
    expect(seen.at(-1)?.type).toMatch(/usage_statistics|stop_reason/);
  };

  it.each(Object.keys(readers))('is taken back where the model breaks off: %s', async (name) => {
    await aWorker();
    const agent = await anAgent();
    isCut = true;
    onceShown(agent.id, () => {
      isCut = false;
      return Promise.resolve();
    });

    expectTakenBack(await readers[name]!(agent.id));
  });

  it.each(['python 1.12.1', 'typescript 0.1.132'])(
    'is taken back where the worker dies, whenever the stream is read: %s',
    async (name) => {
      const first = await aWorker();
      const agent = await anAgent();
      onceShown(agent.id, async () => {
        await startWorker();
        await first.kill();
      });

      const seen = await readers[name]!(agent.id);

      expectTakenBack(seen);
      const client = new Letta({ baseURL: baseUrl, apiKey: 'none', maxRetries: 0 });
      const { rows } = await sql<{ id: string }>`
        select id from turns where agent_id = ${agent.id}`.execute(runtime.db);
      const read = async (after: number): Promise<readonly { readonly seq_id?: number | null }[]> => {
        const body = { starting_after: after, include_pings: false };
        const chunks: { readonly seq_id?: number | null }[] = [];
        for await (const chunk of await client.runs.messages.stream(rows[0]!.id, body)) {
          chunks.push(chunk as { seq_id?: number | null });
        }
        return chunks;
      };
      const again = await read(0);
      const told = again.find((chunk) => 'abandoned_message_id' in chunk)?.seq_id ?? 0;
      const numbers = (chunks: readonly { readonly seq_id?: number | null }[]) =>
        chunks.map(({ seq_id: number }) => number);
      expectTakenBack(again.map(toSeen));
      expect(numbers(await read(told - 1))).toEqual(numbers(again).filter((number) => (number ?? 0) >= told));
      expect(numbers(await read(told))).toEqual(numbers(again).filter((number) => (number ?? 0) > told));
    },
  );
});
