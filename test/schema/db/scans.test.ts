import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { StopReason } from '../../../core/turns/stop-reasons.js';
import { type Db, inTransaction, openDatabase } from '../../../schema/db/database.js';
import { sessionLimits } from '../../../schema/db/wait-limits.js';
import type { App } from '../../../server/deps.js';
import { createRuntimeApp } from '../../server/runtime-app.js';
import { waitFor } from '../../../stack/waiting.js';
import { sweep } from '../../../worker/sweep.js';
import { startRuntime, type TestRuntime } from '../../support/runtime/runtime.js';
import { createScriptedModels } from '../../support/models/scripted-model.js';
import { fillDatabase, scaledSize } from '../../support/scale/fill.js';
import { idsOfAgent } from '../../support/scale/filled-ids.js';
import {
  largeTables,
  type Plan,
  type PlanRecord,
  readingsOf,
  recordPlans,
  scansAmong,
} from '../../support/scale/plans.js';
import {
  type ApiDescription,
  makeDeletable,
  type Visit,
  visitDeletes,
  visitReads,
} from '../../support/scale/visits.js';
import { readTestState } from '../../support/run/test-state.js';

/** A fiftieth of a database that many have used for a long time. */
const size = scaledSize(50);
/** Smaller tables may be scanned because that is faster; larger ones would not be. */
const moreThan = 15_000;

const append = (heartbeat: boolean) => ({
  toolCalls: [
    {
      id: 'call',
      name: 'core_memory_append',
      arguments: JSON.stringify({ label: 'human', content: 'Likes the sea.', request_heartbeat: heartbeat }),
    },
  ],
});
const goodbye = { toolCalls: [{ id: 'call', name: 'send_message', arguments: '{"message":"Noted."}' }] };

/** Ends the open connections: only new ones have their plans logged. */
async function renewConnections({ db }: TestRuntime, admin: Db): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(admin);
  // Until the pool has noticed every ended connection.
  await waitFor(
    async () => {
      const asked = await Promise.allSettled(Array.from({ length: 20 }, () => sql`select`.execute(db)));
      return asked.every(({ status }) => status === 'fulfilled') ? true : undefined;
    },
    { timeoutMs: 30_000, everyMs: 50 },
  );
}

/** Gives each of the agents a turn. All of them end now, at the same time. */
async function endAtOnce(db: Db, agentIds: readonly string[], stopReason: StopReason): Promise<void> {
  const ids = [...agentIds];
  await sql`
    with ended as (
      insert into turns (id, thread_id, agent_id, state, stop_reason, completed_at)
      select 'run-' || gen_random_uuid(), id, id, 'completed', ${stopReason}, now() from unnest(${ids}::text[]) as id
      returning agent_id, completed_at
    )
    update agent_ends set period = end_period(completed_at) from ended where agent_ends.agent_id = ended.agent_id`.execute(
    db,
  );
}

describe('a database with many rows', () => {
  let runtime: TestRuntime;
  let app: App;
  let record: PlanRecord;
  let visit: Visit;
  let description: ApiDescription;
  const models = createScriptedModels();

  const agentAt = (index: number): string =>
    `agent-00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;

  /** The plans since the last call that scan a table. */
  const scans = (): Promise<readonly string[]> => scansIn(record.read());

  const scansIn = async (plans: readonly Plan[]): Promise<readonly string[]> => {
    const readings = scansAmong(readingsOf(plans), await largeTables(runtime.db, moreThan));
    return readings.map(({ statement, table, how, rows }) => `${table}: ${how}, ${rows} rows: ${statement}`);
  };

  const idsAt = async (path: string): Promise<string[]> =>
    ((await visit('GET', path)).body as { id: string }[]).map(({ id }) => id);

  const lastEnded = (order: string, cursor = ''): Promise<string[]> =>
    idsAt(`/v1/agents?order_by=last_run_completion&order=${order}&limit=50&${cursor}`);

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
    app = createRuntimeApp(runtime);
    visit = async (method, url, payload) => {
      const response = await app.inject({ method, url, ...(payload && { payload }) });
      return { status: response.statusCode, body: JSON.parse(response.body || 'null') as unknown };
    };
    description = (await visit('GET', '/openapi.json')).body as ApiDescription;
    const agent = await runtime.anAgent();
    models.script(append(true), goodbye);
    await runtime.tell(agent, 'I like the sea.');
    const { adminUrl, dataDirectory } = readTestState();
    const { pathname } = new URL(runtime.databaseUrl);
    const admin = openDatabase(Object.assign(new URL(adminUrl), { pathname }).href, {
      connections: 1,
      limits: sessionLimits,
    });
    await fillDatabase(admin.db, agent.id, size);
    record = await recordPlans(admin.db, join(dataDirectory, 'postgres', 'postgres.log'));
    await renewConnections(runtime, admin.db);
    await admin.close();
  });

  afterAll(async () => {
    await app.close();
    await runtime.close();
  });

  it('[scale.no-scans] reports a statement that scans a table', async () => {
    await sql`select from effects where tool_name = 'send_message' limit 1`.execute(runtime.db);
    await sql`select from effects where tool_name = 'none'`.execute(runtime.db);

    expect(await scans()).toEqual([expect.stringContaining(`tool_name = 'none'`)]);
  });

  it('[scale.no-scans] allows a statement to read many rows that it changes, but not rows that it leaves', async () => {
    const undone = new Error('Undone.');
    const changing = inTransaction(runtime.db, async (tx) => {
      await sql`update effects set status = 'error'`.execute(tx);
      await sql`update effects set status = 'error' where tool_name = 'none'`.execute(tx);
      throw undone;
    });

    await expect(changing).rejects.toBe(undone);
    expect(await scans()).toEqual([expect.stringContaining(`tool_name = 'none'`)]);
  });

  it('[scale.no-scans] runs a turn without a table scan, and without notifying in a transaction that writes [scale.hints]', async () => {
    const agent = await runtime.anAgent();
    models.script(append(true), append(true), goodbye, append(true), goodbye);
    await runtime.tell(agent, 'I like the sea.');
    await runtime.tell(agent, 'I still do.');
    const plans = record.read();

    expect(await scansIn(plans)).toEqual([]);
    // A notify locks the whole cluster until its commit is on disk, so hints have transactions of their own.
    const notifying = plans.filter(({ statement }) => statement.includes('pg_notify'));
    expect(notifying.length).toBeGreaterThan(0);
    expect(
      notifying.filter(({ statement }) => !statement.includes(`set_config('synchronous_commit'`)),
    ).toEqual([]);
  });

  it('[scale.no-scans] answers every list without a table scan', async () => {
    const visited = await visitReads(visit, description, await idsOfAgent(runtime.db, agentAt(3)));

    expect(visited.length).toBeGreaterThan(50);
    expect(await scans()).toEqual([]);
  });

  it('[scale.no-scans] lists agents by their latest end in both orders, without a table scan', async () => {
    for (let idle = 0; idle < 3; idle += 1) await runtime.anAgent();
    await endAtOnce(runtime.db, [100, 40].map(agentAt), 'end_turn');
    const { rows } = await sql<{ id: string }>`
      select agents.id from agents left join turns on turns.agent_id = agents.id where deleted_at is null
      group by agents.id order by coalesce(max(completed_at), '-infinity') desc, agents.id desc`.execute(
      runtime.db,
    );
    const newest = rows.map(({ id }) => id);
    const oldest = newest.toReversed();
    const middle = Math.floor(newest.length / 2);
    record.read();

    const [here, there] = [newest[middle] ?? '', oldest[middle] ?? ''];

    expect(await lastEnded('desc')).toEqual(newest.slice(0, 50));
    expect(await lastEnded('asc')).toEqual(oldest.slice(0, 50));
    expect(await lastEnded('desc', `after=${here}`)).toEqual(newest.slice(middle + 1, middle + 51));
    expect(await lastEnded('desc', `before=${here}`)).toEqual(newest.slice(middle - 50, middle));
    expect(await lastEnded('asc', `after=${there}`)).toEqual(oldest.slice(middle + 1, middle + 51));
    expect(await lastEnded('asc', `before=${there}`)).toEqual(oldest.slice(middle - 50, middle));
    expect(await scans()).toEqual([]);
  });

  it('[scale.no-scans] finds agents by their latest stop reason without a table scan', async () => {
    const ended = [200, 201, 202].map(agentAt);
    await endAtOnce(runtime.db, ended, 'max_steps');
    await endAtOnce(runtime.db, ended.slice(2), 'end_turn');
    await sql`analyze turns`.execute(runtime.db);
    record.read();
    const endedBy = (reason: string): Promise<string[]> =>
      idsAt(`/v1/agents?last_stop_reason=${reason}&order=asc`);

    expect(await endedBy('max_steps')).toEqual(ended.slice(0, 2));
    expect(await endedBy('error')).toEqual([]);
    expect(await endedBy('end_turn')).toHaveLength(50);
    expect(await scans()).toEqual([]);
  });

  it('[scale.no-scans] sweeps, deletes and purges without a table scan', async () => {
    const agentId = agentAt(5);
    await sweep(runtime);
    const made = await makeDeletable(visit, agentId);
    const ids = { ...(await idsOfAgent(runtime.db, agentId)), ...made };
    const visited = await visitDeletes(visit, description, ids);
    await sql`update agents set deleted_at = now() - interval '1 hour' where id = ${agentAt(11)}`.execute(
      runtime.db,
    );
    await sweep(runtime);

    expect(visited.length).toBeGreaterThan(5);
    expect(await runtime.db.selectFrom('agents').select('id').where('id', '=', agentId).execute()).toEqual(
      [],
    );
    expect(await scans()).toEqual([]);
  });
});
