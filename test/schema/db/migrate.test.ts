import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Migrator } from 'kysely';
import pg from 'pg';
import { openDatabase } from '../../../schema/db/database.js';
import { migrateToLatest } from '../../../schema/db/migrate-to-latest.js';
import { migrations } from '../../../schema/db/migrations/index.js';
import { migrationLimits } from '../../../schema/db/wait-limits.js';
import { waitFor } from '../../../stack/waiting.js';
import { readTestState } from '../../support/run/test-state.js';

async function execute(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query<Record<string, unknown>>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

describe('migrations', () => {
  const { adminUrl } = readTestState();
  let name: string;
  let url: string;

  beforeEach(async () => {
    name = `migrate_${randomBytes(6).toString('hex')}`;
    url = Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
    await execute(adminUrl, `create database ${name}`);
  });

  afterEach(async () => {
    await execute(adminUrl, `drop database ${name} with (force)`);
  });

  const agent = `insert into agents (id, name, agent_type, system, model, embedding)
    values ('agent-1', 'a', 'memgpt_agent', '', 'perdure/demo', 'perdure/use-lite')`;

  const migrateWithout = async (missing: readonly string[]): Promise<void> => {
    const had = Object.entries(migrations).filter(([each]) => !missing.includes(each));
    const database = openDatabase(url, { connections: 1 });
    const provider = { getMigrations: () => Promise.resolve(Object.fromEntries(had)) };
    const { error } = await new Migrator({ db: database.db, provider }).migrateToLatest();
    await database.close();
    expect(error).toBeUndefined();
  };

  it('[schema.forward] lead from an empty database to the newest schema, and keep stored rows when repeated', async () => {
    expect(await migrateToLatest(url)).toEqual(Object.keys(migrations));
    await execute(url, agent);
    const tools = await execute(url, 'select id, name from tools order by id');

    expect(await migrateToLatest(url)).toEqual([]);

    expect(await execute(url, 'select id from agents')).toEqual([{ id: 'agent-1' }]);
    expect(await execute(url, 'select id, name from tools order by id')).toEqual(tools);
    expect(tools.length).toBeGreaterThan(5);
  });

  it.each([
    ['0022-talks', '0022-turn-callbacks', '0022-unfinished-asking'],
    ['0023-passage-stores', '0025-overriding-tools'],
  ])('[schema.forward] complete a database that has later ones, but not %s', async (...missing) => {
    await migrateWithout(missing);

    expect(await migrateToLatest(url)).toEqual(missing);
    expect(await migrateToLatest(url)).toEqual([]);
  });

  it('[schema.forward] leave nothing half done when one fails', async () => {
    await execute(url, 'create table turns (id text)');

    await expect(migrateToLatest(url)).rejects.toMatchObject({ code: '42P07' });

    expect(await execute(url, `select to_regclass('agents') as agents`)).toEqual([{ agents: null }]);
    await execute(url, 'drop table turns');
    expect(await migrateToLatest(url)).toEqual(Object.keys(migrations));
  });

  it('[schema.locked] run once, however many processes start together', async () => {
    const ran = await Promise.all([migrateToLatest(url), migrateToLatest(url), migrateToLatest(url)]);

    expect(ran.flat().sort()).toEqual(Object.keys(migrations).sort());
  });

  it('[waits.migrations] let others pass while they wait for a table, and run once it is free', async () => {
    await migrateWithout(['0025-overriding-tools']);
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    await reader.query('begin; select from tools');

    let isDone = false;
    const migrating = migrateToLatest(url, { ...migrationLimits, lockMs: 500 }).finally(
      () => (isDone = true),
    );
    const waits = `select from pg_locks where not granted and relation = 'tools'::regclass`;
    await waitFor(async () => (await execute(url, waits)).length > 0 || undefined, {
      timeoutMs: 60_000,
      everyMs: 20,
    });
    const read = await execute(url, 'select count(*) > 0 as some from tools');

    expect([read, isDone]).toEqual([[{ some: false }], false]);
    await reader.query('commit');
    await reader.end();
    expect(await migrating).toEqual(['0025-overriding-tools']);
  });

  it('[schema.room] have room for threads, sources, vectors of several sizes and seen revisions', async () => {
    await migrateToLatest(url);
    await execute(
      url,
      agent,
      `insert into threads (id, agent_id, is_default) values ('agent-1', 'agent-1', true), ('conv-1', 'agent-1', false)`,
      `insert into archives (id, name, embedding) values ('archive-1', 'a', 'perdure/use-lite')`,
      `insert into passages (id, archive_id, words, embedding, embedding_model) values ('passage-1', 'archive-1', 'x', '{1,0}', 'a')`,
      `insert into sources (id, name, embedding, chunk_size, chunk_overlap) values ('source-1', 's', 'b', 300, 0)`,
      `insert into files (id, source_id, job_id, name, original_name, size) values ('file-1', 'source-1', 'job-1', 'f', 'f', 1)`,
      `insert into passages (id, source_id, file_id, words, embedding, embedding_model) values ('passage-2', 'source-1', 'file-1', 'x', '{1,0,0}', 'b')`,
      `insert into blocks (id, label, value, value_limit) values ('block-1', 'human', '', 2000)`,
      `insert into epochs (id, thread_id, prefix, tools, fingerprint, figures) values ('epoch-1', 'conv-1', '', '[]', '', '{}')`,
      `insert into seen_revisions (thread_id, block_id, revision) values ('conv-1', 'block-1', 1)`,
    );

    const stored = await execute(
      url,
      'select id, archive_id, source_id, cardinality(embedding) as size from passages order by id',
    );

    expect(stored).toEqual([
      { id: 'passage-1', archive_id: 'archive-1', source_id: null, size: 2 },
      { id: 'passage-2', archive_id: null, source_id: 'source-1', size: 3 },
    ]);
    await expect(
      execute(url, `insert into threads (id, agent_id, is_default) values ('conv-2', 'agent-1', true)`),
    ).rejects.toMatchObject({ code: '23505' });
    await expect(
      execute(url, `insert into passages (id, words) values ('passage-3', 'x')`),
    ).rejects.toMatchObject({ code: '23514' });
  });
});
