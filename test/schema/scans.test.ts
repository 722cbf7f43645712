import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../schema/database.js';
import type { App } from '../../server/deps.js';
import { createRuntimeApp } from '../server/runtime-app.js';
import { sweep } from '../../worker/sweep.js';
import { startRuntime, type TestRuntime } from '../support/runtime.js';
import { createScriptedModels } from '../support/scripted-model.js';
import { fillDatabase, scaledSize } from '../support/scale/fill.js';
import { idsOfAgent } from '../support/scale/filled-ids.js';
import { largeTables, type PlanRecord, readingsOf, recordPlans, scansAmong } from '../support/scale/plans.js';
import {
  type ApiDescription,
  makeDeletable,
  type Visit,
  visitDeletes,
  visitReads,
} from '../support/scale/visits.js';
import { readTestState } from '../support/test-state.js';

/** A fiftieth of what a database has that was used by many for long. */
const size = scaledSize(50);
/** Smaller tables are read as a whole where that is quicker, and would not be if they were larger. */
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

/** Ends all others' connections: new ones have their plans written down. */
async function renewConnections(databaseUrl: string): Promise<void> {
  const own = openDatabase(databaseUrl, { connections: 1 });
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(own.db);
  await own.close();
}

describe('with many rows', () => {
  let runtime: TestRuntime;
  let app: App;
  let record: PlanRecord;
  let visit: Visit;
  let description: ApiDescription;
  const models = createScriptedModels();

  const agentAt = (index: number): string =>
    `agent-00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;

  /** What was read since the last time, as far as it scans a table. */
  const scans = async (): Promise<readonly string[]> => {
    const readings = scansAmong(readingsOf(record.read()), await largeTables(runtime.db, moreThan));
    return readings.map(({ statement, table, how, rows }) => `${table}: ${how}, ${rows} rows: ${statement}`);
  };

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
    await fillDatabase(runtime.db, agent.id, size);
    record = await recordPlans(runtime.db, join(readTestState().directory, 'postgres', 'postgres.log'));
    await renewConnections(runtime.databaseUrl);
  });

  afterAll(async () => {
    await app.close();
    await runtime.close();
  });

  it('[scale.no-scans] a statement that scans a table is found out', async () => {
    await sql`select from effects where tool_name = 'send_message' limit 1`.execute(runtime.db);
    await sql`select from effects where tool_name = 'none'`.execute(runtime.db);

    expect(await scans()).toEqual([expect.stringContaining(`tool_name = 'none'`)]);
  });

  it('[scale.no-scans] no statement of a turn scans a table', async () => {
    const agent = await runtime.anAgent();
    models.script(append(true), append(true), goodbye, append(true), goodbye);
    await runtime.tell(agent, 'I like the sea.');
    await runtime.tell(agent, 'I still do.');

    expect(await scans()).toEqual([]);
  });

  it('[scale.no-scans] no list scans a table', async () => {
    const visited = await visitReads(visit, description, await idsOfAgent(runtime.db, agentAt(3)));

    expect(visited.length).toBeGreaterThan(50);
    expect(await scans()).toEqual([]);
  });

  it('[scale.no-scans] no sweep, delete or purge scans a table', async () => {
    const agentId = agentAt(5);
    await sweep(runtime);
    const made = await makeDeletable(visit, agentId);
    const ids = { ...(await idsOfAgent(runtime.db, agentId)), ...made };
    const visited = await visitDeletes(visit, description, ids);
    await sql`update agents set deleted_at = deleted_at - interval '1 hour' where deleted_at is not null`.execute(
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
