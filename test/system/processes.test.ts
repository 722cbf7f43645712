import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { withClient } from '../../stack/postgres-database.js';
import { waitFor } from '../../stack/waiting.js';
import { runCanary } from '../support/runtime/canary.js';
import { type ComposeProcess, composeService, runService } from '../support/compose-process.js';
import { fetchHistories, identitiesOf } from '../support/runtime/histories.js';
import { lastSaid, type ModelServer, type Reply, startModelServer } from '../support/model-server.js';
import { createTestDatabase, type TestDatabase } from '../support/runtime/postgres.js';
import { createRest, type Rest } from '../support/server/rest.js';
import { readRunStream, type StreamedChunk } from '../support/run-stream.js';
import { testTemporal } from '../support/runtime/temporal.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const facts = ['Lives in Oslo.', 'Plays the violin.', 'Has a boat.'];
/** The step in whose answer the model halts: two are done by then, two are to come. */
const haltedStep = 2;
/** Turns that begin until both workers hold one; more would mean that one of them gets no work. */
const mostTurns = 16;
const patience = { timeoutMs: 90_000, everyMs: 50 };

/** One step for each fact, then a word to the user. */
function remember(_request: unknown, step: number): Reply {
  const content = facts[step];
  const thinking = `I am at step ${String(step)}. ${runCanary()}`;
  return content === undefined
    ? { call: 'send_message', args: { thinking, message: 'I will remember that.' } }
    : { call: 'core_memory_append', args: { thinking, label: 'human', content, request_heartbeat: true } };
}

interface Worker {
  readonly process: ComposeProcess;
  /** As Temporal's histories name it. */
  readonly identity: string;
}

interface Server {
  readonly process: ComposeProcess;
  readonly url: string;
  readonly rest: Rest;
}

/** A turn that is under way, with its model halted. */
interface HaltedTurn {
  readonly agentId: string;
  readonly runId: string;
  /** The worker that called the model. */
  readonly worker: string;
}

describe('the services of docker-compose.yml as processes: two servers, two workers', () => {
  const password = randomUUID();
  const headers = { authorization: `Bearer ${password}` };
  const processes: ComposeProcess[] = [];
  const halted = new Set<string>();
  let directory: string;
  let database: TestDatabase;
  let model: ModelServer;
  let connection: Connection;
  let temporal: Client;
  let servers: readonly [Server, Server];
  let workers: readonly [Worker, Worker];
  let letGo: () => void = () => undefined;

  beforeAll(async () => {
    directory = makeTemporaryDirectory('processes');
    [database, model] = await Promise.all([createTestDatabase(), startModelServer(remember)]);
    const { address, namespace } = testTemporal();
    connection = await Connection.connect({ address });
    temporal = new Client({ connection, namespace });
    const shared = {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      PERDURE_TASK_QUEUE: `test-${randomUUID()}`,
      OPENAI_BASE_URL: model.baseUrl,
      LOG_LEVEL: 'warn',
    };
    const migration = await start('migrate', shared);
    expect(await migration.ended).toBe(0);
    [servers, workers] = await Promise.all([
      Promise.all([startServer(shared), startServer(shared)]),
      startWorkers(shared),
    ]);
  });

  afterAll(async () => {
    await Promise.all(processes.map((one) => one.kill()));
    await model.close();
    await connection.close();
    await database.drop();
  });

  async function start(
    name: 'migrate' | 'worker' | 'server',
    given: Record<string, string>,
  ): Promise<ComposeProcess> {
    const started = await runService(name, given, directory);
    processes.push(started);
    return started;
  }

  async function startServer(shared: Record<string, string>): Promise<Server> {
    // Both on this machine, so on ports of their own.
    const own = { HOST: '127.0.0.1', PORT: '0', LETTA_SERVER_PASSWORD: password };
    const started = await start('server', { ...shared, ...own });
    const { address: url = '' } = await started.ready;
    return { process: started, url, rest: createRest(url, headers) };
  }

  /** One after the other: the name that is new in the database is of the one that has just come up. */
  async function startWorkers(shared: Record<string, string>): Promise<readonly [Worker, Worker]> {
    return [await startWorker(shared), await startWorker(shared)];
  }

  async function startWorker(shared: Record<string, string>): Promise<Worker> {
    const earlier = await namesOfWorkers();
    const started = await start('worker', shared);
    await started.ready;
    const [identity = ''] = (await namesOfWorkers()).filter((name) => !earlier.includes(name));
    return { process: started, identity };
  }

  async function namesOfWorkers(): Promise<string[]> {
    const { rows } = await withClient(database.url, (client) =>
      client.query<{ identity: string }>('select identity from workers'),
    );
    return rows.map(({ identity }) => identity);
  }

  /** From now on the model halts in the middle of its answer to the step, until `letGo`. */
  function haltTheModel(): void {
    const released = new Promise<void>((resolve) => (letGo = resolve));
    model.onHalfway = (request, step) => {
      if (step !== haltedStep) return Promise.resolve();
      const [said = ''] = /agent-[\w-]+/.exec(lastSaid(request)) ?? [];
      halted.add(said);
      return released;
    };
  }

  async function anAgent({ rest }: Server): Promise<string> {
    const made = await rest.read<{ id: string }>('POST', '/v1/agents/', {
      model: 'openai/scripted',
      embedding: 'perdure/use-lite',
      memory_blocks: [{ label: 'human', value: 'Their name is Sid.' }],
    });
    return made.id;
  }

  const toSay = (agentId: string) => ({
    messages: [{ role: 'user', content: `I am Sid, and you are ${agentId}. ${runCanary()}` }],
    stream_tokens: true,
  });

  /** Waits until the turn's model is halted, and says whose call that is. */
  async function whenHalted(agentId: string, runId: string): Promise<HaltedTurn> {
    const worker = await waitFor(async () => {
      if (!halted.has(agentId)) return undefined;
      const { raw } = await temporal.workflow.getHandle(agentId).describe();
      return raw.pendingActivities?.[0]?.lastWorkerIdentity ?? undefined;
    }, patience);
    if (worker === undefined)
      throw new Error(`The model of ${agentId} was not asked for step ${haltedStep}.`);
    return { agentId, runId, worker };
  }

  async function beginTurn(server: Server): Promise<HaltedTurn> {
    const agentId = await anAgent(server);
    const path = `/v1/agents/${agentId}/messages/async`;
    const run = await server.rest.read<{ id: string }>('POST', path, toSay(agentId));
    return whenHalted(agentId, run.id);
  }

  const follow = (server: Server, runId: string, startingAfter = 0) =>
    readRunStream(`${server.url}/v1/runs/${runId}/stream`, headers, {
      starting_after: startingAfter,
      include_pings: false,
    });

  const seen = (chunks: readonly StreamedChunk[]) =>
    chunks.map(({ seq_id: place, message_type: type }) => [place, type]);

  const returnsIn = (chunks: readonly StreamedChunk[]) =>
    chunks.filter(({ message_type: type }) => type === 'tool_return_message').length;

  async function expectDone({ rest }: Server, { agentId, runId }: HaltedTurn): Promise<void> {
    const run = await rest.read<object>('GET', `/v1/runs/${runId}`);
    expect(run).toMatchObject({ status: 'completed', stop_reason: 'end_turn' });
    const human = await rest.read<object>('GET', `/v1/agents/${agentId}/core-memory/blocks/human`);
    expect(human).toMatchObject({ value: ['Their name is Sid.', ...facts].join('\n') });
  }

  it('are as many as the file says, and let nobody in without the password [scale.processes]', async () => {
    expect(servers).toHaveLength(composeService('server').deploy?.replicas ?? 0);
    expect(workers).toHaveLength(composeService('worker').deploy?.replicas ?? 0);
    for (const { url } of servers) expect((await fetch(`${url}/v1/agents/`)).status).toBe(401);
  });

  it('finish every turn, and go on with every stream, when one of each is killed in the middle [scale.processes] [scale.one-of-each-killed]', async () => {
    const [doomedServer, server] = servers;
    haltTheModel();
    const agentId = await anAgent(doomedServer);
    const begun = readRunStream(
      `${doomedServer.url}/v1/agents/${agentId}/messages/stream`,
      headers,
      toSay(agentId),
    );
    const runId = await waitFor(() => begun.chunks[0]?.run_id, patience);
    const turn = await whenHalted(agentId, runId ?? '');
    const followed = follow(server, turn.runId);
    const turns = [turn];
    while (new Set(turns.map(({ worker }) => worker)).size < 2 || turns.length < 4) {
      if (turns.length >= mostTurns) break;
      turns.push(await beginTurn(servers[turns.length % 2] ?? server));
    }
    const sawHalf = () => [begun, followed].every(({ chunks }) => returnsIn(chunks) === haltedStep);
    expect(await waitFor(() => sawHalf() || undefined, patience)).toBe(true);

    await Promise.all([
      doomedServer.process.kill(),
      workers.find(({ identity }) => identity === turn.worker)?.process.kill(),
    ]);
    letGo();
    model.onHalfway = undefined;
    const isWhole = await begun.ended;
    const resumed = follow(server, turn.runId, begun.chunks.at(-1)?.seq_id);
    expect(await resumed.ended).toBe(true);
    for (const one of turns) expect(await follow(server, one.runId).ended).toBe(true);

    const again = follow(server, turn.runId);
    expect([isWhole, await followed.ended, await again.ended]).toEqual([false, true, true]);
    expect(seen(followed.chunks)).toEqual(seen(again.chunks));
    expect(seen([...begun.chunks, ...resumed.chunks])).toEqual(seen(again.chunks));
    expect(returnsIn(again.chunks)).toBe(facts.length);
    const places = again.chunks.map(({ seq_id: place }) => place);
    expect(places).toEqual([...new Set(places)].sort((one, other) => one - other));
    for (const one of turns) await expectDone(server, one);

    const identities = new Set(workers.map(({ identity }) => identity));
    const [own] = await fetchHistories(temporal, [agentId]);
    expect(new Set(identitiesOf(own!))).toEqual(identities);
    expect(new Set(turns.map(({ worker }) => worker))).toEqual(identities);
    const histories = await fetchHistories(
      temporal,
      turns.map((one) => one.agentId),
    );
    expect(new Set(histories.flatMap(identitiesOf))).toEqual(identities);
  });
});
