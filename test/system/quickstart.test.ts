import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { StackFile } from '../../adapters/settings/endpoints.js';
import { identifyProcess } from '../../adapters/settings/process-identity.js';
import { decodeHistory, fetchHistories, type History, identitiesOf } from '../support/runtime/histories.js';
import { type QuickstartProcess, spawnQuickstart } from '../support/quickstart-process.js';
import { backendPids, programPids } from '../support/stack-process.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const random = () => randomBytes(4).toString('hex');
const facts = {
  name: `Zora${random()}`,
  city: `Port ${random()}`,
  work: `a keeper of ${random()}`,
  likes: [`opals of ${random()}`, `songs about ${random()}`, `rain on ${random()}`],
  thing: `lamp ${random()}`,
  place: `behind door ${random()}`,
  note: `The tide turns at ${random()}`,
};
const told = [facts.name, facts.city, facts.work, ...facts.likes];
const args = Object.entries(facts).map(([name, value]) => `--${name}=${String(value)}`);

let home: string;
let quickstart: QuickstartProcess;
let running: StackFile;
let agentId: string;

beforeAll(async () => {
  home = join(makeTemporaryDirectory('quickstart'), 'home');
  quickstart = spawnQuickstart(home, args);
  running = await quickstart.up();
  agentId = firstMatch(/^ +id +(agent-\S+)$/m);
});

afterAll(async () => {
  await quickstart.interrupt();
});

function firstMatch(pattern: RegExp): string {
  const found = pattern.exec(quickstart.output())?.[1];
  if (found === undefined) throw new Error(`${String(pattern)} is not in:\n${quickstart.output()}`);
  return found;
}

async function get<T>(path: string): Promise<T> {
  const response = await fetch(`${running.api}${path}`);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

const count = (text: string, part: string) => text.split(part).length - 1;
const isAlive = (pid: number) => identifyProcess(pid) !== undefined;
const allPids = () => [...backendPids(home), ...programPids(home, 'worker'), ...programPids(home, 'server')];
const readBlocks = () =>
  get<{ label: string; value: string; revision: number }[]>(`/v1/agents/${agentId}/core-memory/blocks`);
const readPassages = async () =>
  (await get<{ text: string }[]>(`/v1/agents/${agentId}/archival-memory`)).map(({ text }) => text);

// In this order: each test goes on where the one before it ended, because a start takes seconds.
describe('npm run quickstart', () => {
  it('[stack.quickstart-real] leaves what it showed of random facts where another process finds it', async () => {
    const runs = await get<{ status: string; stop_reason: string }[]>(`/v1/runs?agent_id=${agentId}`);
    const blocks = await readBlocks();

    const human = blocks.find(({ label }) => label === 'human');
    expect(told.map((fact) => count(human?.value ?? '', fact))).toEqual(told.map(() => 1));
    expect(human?.revision).toBe(told.length + 1);
    expect(await readPassages()).toEqual([`The ${facts.thing} is ${facts.place}`, facts.note]);
    expect(runs.map(({ status, stop_reason: reason }) => `${status} ${reason}`)).toEqual(
      runs.map(() => 'completed end_turn'),
    );
    expect(runs).toHaveLength(4);
    for (const line of (human?.value ?? '').split('\n')) expect(quickstart.output()).toContain(line);
  });

  it('[stack.quickstart] shows a turn that outlives the kill of its worker, with nothing lost or repeated', async () => {
    const killed = Number(firstMatch(/kill -9 +worker process (\d+), in the middle of the turn/));
    const next = Number(firstMatch(/Worker process (\d+) is up after [\d.]+ s/));
    const runId = firstMatch(/GET \/v1\/runs\/(run-\S+)\/messages/);

    const steps = await get<{ id: string; status: string }[]>(`/v1/runs/${runId}/steps`);
    const messages = await get<{ message_type: string; step_id: string }[]>(`/v1/runs/${runId}/messages`);

    expect(quickstart.output()).not.toContain('✗');
    expect([isAlive(killed), isAlive(next)]).toEqual([false, true]);
    expect(programPids(home, 'worker')).toEqual([next]);
    expect(steps.map(({ status }) => status)).toEqual(steps.map(() => 'success'));
    expect(steps).toHaveLength(facts.likes.length + 2);
    expect(messages.filter((one) => one.message_type === 'tool_return_message')).toHaveLength(
      steps.length - 1,
    );
    const { first, last, ofOneTurn } = await workersInTurn();
    expect(first).not.toBe(last);
    expect(ofOneTurn).toEqual([first, last]);
  });

  it('[stack.up] stays up with the addresses of the API, its docs and the Temporal UI', async () => {
    const addresses = [
      `${firstMatch(/^ +API +(\S+)$/m)}/v1/health/`,
      firstMatch(/^ +API docs +(\S+)$/m),
      firstMatch(/^ +Temporal UI +(\S+)$/m),
      firstMatch(/^ +This agent +(\S+)$/m),
    ];

    const statuses = await Promise.all(addresses.map(async (address) => (await fetch(address)).status));

    expect(statuses).toEqual([200, 200, 200, 200]);
    expect(decodeURIComponent(addresses[3] ?? '')).toContain(`WorkflowId="${agentId}"`);
  });

  it('[scale.history] leaves nothing of what was said in the histories of its turns', async () => {
    const histories = await withTemporal((client) => fetchHistories(client, [agentId]));

    const found = histories.map(decodeHistory).flatMap((text) => told.filter((fact) => text.includes(fact)));
    expect(histories.length).toBeGreaterThan(1);
    expect(found).toEqual([]);
  });

  it('[stack.one-owner] is refused on the same data while it runs', async () => {
    const second = spawnQuickstart(home, []);

    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(
      `A stack already runs on ${home}: process ${running.pid}, its API is ${running.api}`,
    );
    expect(await get('/v1/agents/count')).toBe(1);
  });

  it('[stack.stop] [stack.data-stays] stops on Ctrl-C, finds its data at the next start, and ends by itself when told to', async () => {
    const pids = [running.pid, ...allPids()];
    await quickstart.interrupt();
    expect(quickstart.output()).toMatch(/Stopped\.\n$/);
    expect(pids).toHaveLength(5);
    expect(pids.filter(isAlive)).toEqual([]);

    quickstart = spawnQuickstart(home, ['--once', '--name', 'Ada']);

    expect(await quickstart.ended).toBe(0);
    expect(quickstart.output()).toContain('This data directory holds 1 agent of earlier runs');
    expect(quickstart.output()).not.toContain('✗');
    expect(allPids()).toEqual([]);
  });
});

/** The workers of the first and of the last execution, and those of the one on which two worked, as they came to it. */
async function workersInTurn() {
  const histories = await withTemporal((client) => fetchHistories(client, [agentId]));
  const begun = ({ events }: History): number => {
    const { seconds, nanos } = events?.[0]?.eventTime ?? {};
    return Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1_000_000;
  };
  const workers = histories
    .sort((one, other) => begun(one) - begun(other))
    .map((history) => [...new Set(identitiesOf(history))]);
  const ofOneTurn = workers.find((identities) => identities.length > 1);
  return { first: workers[0]?.[0], last: workers.at(-1)?.at(-1), ofOneTurn };
}

async function withTemporal<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: running.temporalAddress });
  try {
    return await work(new Client({ connection, namespace: running.namespace }));
  } finally {
    await connection.close();
  }
}
