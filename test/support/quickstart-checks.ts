import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { StackFile } from '../../adapters/settings/endpoints.js';
import { identifyProcess } from '../../adapters/settings/process-identity.js';
import type { QuickstartProcess } from './quickstart-process.js';
import { decodeHistory, fetchHistories, type History, identitiesOf } from './runtime/histories.js';
import { backendPids, programPids } from './stack-process.js';

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

/** Has the quickstart tell its agent random facts. */
export const randomFacts = Object.entries(facts).map(([name, value]) => `--${name}=${String(value)}`);

/** A quickstart with random facts whose tour is over, and which stays up. */
export interface ShownQuickstart {
  readonly home: string;
  readonly process: QuickstartProcess;
  readonly running: StackFile;
}

/** The processes of its servers, worker and server that are alive. */
export function partsOf(home: string): readonly number[] {
  return [...backendPids(home), ...programPids(home, 'worker'), ...programPids(home, 'server')];
}

export const isAlive = (pid: number): boolean => identifyProcess(pid) !== undefined;

/** What is to be shown of it while it is up. */
export function describeQuickstart(shown: () => ShownQuickstart): void {
  const agentId = () => firstMatch(/^ +id +(agent-\S+)$/m);

  function firstMatch(pattern: RegExp): string {
    const output = shown().process.output();
    const found = pattern.exec(output)?.[1];
    if (found === undefined) throw new Error(`${String(pattern)} is not in:\n${output}`);
    return found;
  }

  async function get<T>(path: string): Promise<T> {
    const response = await fetch(`${shown().running.api}${path}`);
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  }

  const readBlocks = () =>
    get<{ label: string; value: string; revision: number }[]>(`/v1/agents/${agentId()}/core-memory/blocks`);
  const readPassages = async () =>
    (await get<{ text: string }[]>(`/v1/agents/${agentId()}/archival-memory`)).map(({ text }) => text);

  it('[stack.quickstart-real] leaves what it showed of random facts where another process finds it', async () => {
    const runs = await get<{ status: string; stop_reason: string }[]>(`/v1/runs?agent_id=${agentId()}`);
    const blocks = await readBlocks();

    const human = blocks.find(({ label }) => label === 'human');
    expect(told.map((fact) => count(human?.value ?? '', fact))).toEqual(told.map(() => 1));
    expect(human?.revision).toBe(told.length + 1);
    expect(await readPassages()).toEqual([`The ${facts.thing} is ${facts.place}`, facts.note]);
    expect(runs.map(({ status, stop_reason: reason }) => `${status} ${reason}`)).toEqual(
      runs.map(() => 'completed end_turn'),
    );
    expect(runs).toHaveLength(4);
    for (const line of (human?.value ?? '').split('\n')) expect(shown().process.output()).toContain(line);
  });

  it('[stack.quickstart] shows a turn that outlives the kill of its worker, with nothing lost or repeated', async () => {
    const killed = Number(firstMatch(/kill -9 +worker process (\d+), in the middle of the turn/));
    const next = Number(firstMatch(/Worker process (\d+) is up after [\d.]+ s/));
    const runId = firstMatch(/GET \/v1\/runs\/(run-\S+)\/messages/);

    const steps = await get<{ id: string; status: string }[]>(`/v1/runs/${runId}/steps`);
    const messages = await get<{ message_type: string; step_id: string }[]>(`/v1/runs/${runId}/messages`);

    expect(shown().process.output()).not.toContain('✗');
    expect([isAlive(killed), isAlive(next)]).toEqual([false, true]);
    expect(programPids(shown().home, 'worker')).toEqual([next]);
    expect(steps.map(({ status }) => status)).toEqual(steps.map(() => 'success'));
    expect(steps).toHaveLength(facts.likes.length + 2);
    expect(messages.filter((one) => one.message_type === 'tool_return_message')).toHaveLength(
      steps.length - 1,
    );
    const { first, last, ofOneTurn } = await workersInTurn(shown().running, agentId());
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
    expect(decodeURIComponent(addresses[3] ?? '')).toContain(`WorkflowId="${agentId()}"`);
  });

  it('[scale.history] leaves nothing of what was said in the histories of its turns', async () => {
    const histories = await withTemporal(shown().running, (client) => fetchHistories(client, [agentId()]));

    const found = histories.map(decodeHistory).flatMap((text) => told.filter((fact) => text.includes(fact)));
    expect(histories.length).toBeGreaterThan(1);
    expect(found).toEqual([]);
  });
}

const count = (text: string, part: string) => text.split(part).length - 1;

/** The workers of the first and of the last execution, and those of the one on which two worked, as they came to it. */
async function workersInTurn(running: StackFile, agentId: string) {
  const histories = await withTemporal(running, (client) => fetchHistories(client, [agentId]));
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

async function withTemporal<T>(running: StackFile, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: running.temporalAddress });
  try {
    return await work(new Client({ connection, namespace: running.namespace }));
  } finally {
    await connection.close();
  }
}
