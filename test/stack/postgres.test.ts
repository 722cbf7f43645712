import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { identifyProcess, isSameProcess } from '../../adapters/settings/process-identity.js';
import { migrateToLatest } from '../../schema/db/migrate-to-latest.js';
import { findVectorLibrary } from '../../stack/pgvector.js';
import { findPostmaster } from '../../stack/postmaster.js';
import { startPostgres, type PostgresOptions, type RunningPostgres } from '../../stack/postgres.js';
import { waitFor } from '../../stack/waiting.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

let shared: string;
let directory: string;
let dataDir: string;
let started: RunningPostgres[];
let said: string[];

/** Most tests begin with the data of a server that has run before: to make a cluster, or to copy one, takes a second. */
beforeAll(async () => {
  shared = join(makeTemporaryDirectory('postgres'), 'postgres');
  const server = await startPostgres({ dataDir: shared, durable: false, onProgress: () => undefined });
  await server.stop();
});

beforeEach(() => {
  directory = makeTemporaryDirectory('postgres');
  dataDir = shared;
  started = [];
  said = [];
});

afterEach(async () => {
  await Promise.all(started.map((server) => server.stop()));
  rmSync(directory, { recursive: true, force: true });
});

/** For a test that would leave the data of the others other than they expect it. */
function takeOwnCopy(): void {
  dataDir = join(directory, 'postgres');
  execFileSync('cp', ['-a', shared, dataDir]);
}

/** Where nothing is said of durability, without it: what waits for the disk takes minutes on a busy one. */
async function start(options: Partial<PostgresOptions> = {}): Promise<RunningPostgres> {
  const onProgress = (line: string) => said.push(line);
  const server = await startPostgres({ dataDir, durable: false, onProgress, ...options });
  started.push(server);
  return server;
}

async function query<T extends pg.QueryResultRow>(url: string, statement: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<T>(statement)).rows;
  } finally {
    await client.end();
  }
}

describe('startPostgres', () => {
  it('[stack.loopback] asks for a password that only the database user can read, and listens to this machine alone', async () => {
    const { url } = await start({ durable: true });
    const open = new URL(url);
    open.password = 'wrong';

    expect(await query(url, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    expect(await query(url, 'show fsync')).toEqual([{ fsync: 'on' }]);
    await expect(query(open.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect(statSync(join(dataDir, 'password')).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'cluster')).mode & 0o777).toBe(0o700);
  });

  it('[stack.data-stays] finds all data at the same address after a stop', async () => {
    const first = await start();
    await query(first.url, 'create table stayed as select 42 as answer');
    await first.stop();
    expect(identifyProcess(first.pid)).toBeUndefined();

    const second = await start();

    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'select answer from stayed')).toEqual([{ answer: 42 }]);
  });

  it('[stack.after-kill] starts right after a kill -9, with what was committed', async () => {
    const first = await start({ durable: true });
    await query(first.url, 'create table committed as select 42 as answer');
    process.kill(first.pid, 'SIGKILL');

    const second = await start({ durable: true });

    expect(second.pid).not.toBe(first.pid);
    expect(await query(second.url, 'select answer from committed')).toEqual([{ answer: 42 }]);
  });

  it('takes over a server whose owner was killed', async () => {
    const first = await start();

    const second = await start();

    expect(second.pid).toBe(first.pid);
    await second.stop();
    expect(isSameProcess(first.pid, first.identity)).toBe(false);
  });

  it('[wire.orphan-waits] waits for such a server while it is busy starting, and says so', async () => {
    const first = await start();
    process.kill(first.pid, 'SIGSTOP');
    const waiting = start();
    await waitFor(() => said.some((line) => line.startsWith('Waiting for PostgreSQL')) || undefined, {
      timeoutMs: 90_000,
    });
    process.kill(first.pid, 'SIGCONT');

    const second = await waiting;

    expect(second.pid).toBe(first.pid);
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('does not take another program for the server because its number is in postmaster.pid', () => {
    writeFileSync(join(directory, 'postmaster.pid'), `${process.pid}\n${directory}\n1\n5432\n\n127.0.0.1\n`);

    expect(findPostmaster(directory)).toBeUndefined();
  });

  it('moves to another port when its own was taken meanwhile', async () => {
    const first = await start();
    await first.stop();
    const { port } = new URL(first.url);
    const thief = createServer().listen(Number(port), '127.0.0.1');
    await once(thief, 'listening');

    const second = await start().finally(() => thief.close());

    expect(new URL(second.url).port).not.toBe(port);
  });

  it('waits for the port that it must have, and leaves the kept one as it is', async () => {
    const first = await start();
    await first.stop();
    const thief = createServer().listen(first.port, '127.0.0.1');
    await once(thief, 'listening');

    await expect(start({ port: first.port, patienceMs: 0 })).rejects.toThrow(
      `It said:\nAnother program has port ${first.port}.`,
    );
    thief.close();
    await once(thief, 'close');
    const second = await start();

    expect(second.url).toBe(first.url);
  });

  it('[stack.after-kill] does not take an interrupted initdb for a cluster, and removes what it left', async () => {
    const { pid: dead } = spawnSync(process.execPath, ['--version']);
    dataDir = join(directory, 'fresh');
    const leftovers = join(dataDir, `cluster.tmp-${dead}`);
    const another = join(dataDir, `cluster.tmp-${process.ppid}`);
    mkdirSync(join(leftovers, 'base'), { recursive: true });
    mkdirSync(another);

    const { url } = await start();

    expect(await query(url, 'show fsync')).toEqual([{ fsync: 'off' }]);
    expect([existsSync(leftovers), existsSync(another)]).toEqual([false, true]);
  });

  it('goes on without a vector library that does not load, and says so', async () => {
    const vectorDir = join(directory, 'broken');
    mkdirSync(join(vectorDir, 'extension'), { recursive: true });
    mkdirSync(join(vectorDir, 'lib'));
    writeFileSync(
      join(vectorDir, 'extension', 'vector.control'),
      "default_version = '9'\nmodule_pathname = 'vector'\n",
    );
    writeFileSync(join(vectorDir, 'extension', 'vector--9.sql'), 'select 1;');
    writeFileSync(join(vectorDir, 'lib', 'vector.so'), 'no library at all');

    const server = await start({ vectorDir });

    expect(server.vector).toBe(false);
    expect(said).toContain(
      `The vector library in ${vectorDir} does not load into this PostgreSQL; it is not used`,
    );
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('searches vectors where the library can be had', async () => {
    const vectorDir = await findVectorLibrary(() => undefined);
    const server = await start({ vectorDir });
    expect(server.vector).toBe(vectorDir !== undefined);
    if (vectorDir === undefined) return;

    await query(server.url, 'create table points (id int, place halfvec(3))');
    await query(server.url, `insert into points values (1, '[1,0,0]'), (2, '[0,1,0]')`);
    await query(server.url, 'create index on points using hnsw (place halfvec_cosine_ops)');

    expect(await query(server.url, `select id from points order by place <=> '[0,2,0.1]' limit 1`)).toEqual([
      { id: 2 },
    ]);
  });

  it('[stack.no-superuser] gives worker and server a role that owns the database and may do nothing else on the server', async () => {
    takeOwnCopy();
    const { url } = await start();

    expect(await query(url, 'select * from pg_roles where rolname = current_user')).toMatchObject([
      {
        rolsuper: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolreplication: false,
        rolbypassrls: false,
      },
    ]);
    await expect(query(url, `copy (select 1) to program 'cat'`)).rejects.toMatchObject({ code: '42501' });
    await expect(query(url, `select pg_read_file('/etc/hostname')`)).rejects.toMatchObject({ code: '42501' });
    await expect(query(url, `alter system set work_mem = '1GB'`)).rejects.toMatchObject({ code: '42501' });
    expect((await migrateToLatest(url)).length).toBeGreaterThan(0);
  });

  it('[stack.no-superuser] hands over what a superuser made in an earlier life, and its data', async () => {
    takeOwnCopy();
    const first = await start();
    await query(first.adminUrl, `alter database perdure owner to perdure`);
    await migrateToLatest(first.adminUrl);
    for (const statement of [
      `create type mood as enum ('calm')`,
      `create table kept (id bigserial, mood mood, answer int generated always as identity)`,
      `insert into kept (mood) values ('calm')`,
      'create view seen as select mood from kept',
      'create schema "An other"',
      'create table "An other"."Table" (id int)',
    ])
      await query(first.adminUrl, statement);
    await first.stop();

    const { url } = await start();

    const superusers = `select relname from pg_class where relowner = 'perdure'::regrole
      and relnamespace::regnamespace::text !~ '^(pg_|information_schema)' and not exists (
        select from pg_depend where objid = pg_class.oid and deptype = 'e')`;
    expect(await query(url, superusers)).toEqual([]);
    expect(await query(url, 'select mood, answer from kept')).toEqual([{ mood: 'calm', answer: 1 }]);
    await query(url, 'alter table agents add column later int');
    await query(url, 'drop schema "An other" cascade');
    await query(url, 'drop type mood cascade');
    expect(await migrateToLatest(url)).toEqual([]);
  });

  it('names the password file when it is gone, instead of locking the data away', async () => {
    const first = await start();
    await first.stop();
    const password = join(dataDir, 'password');
    const kept = readFileSync(password, 'utf8');
    rmSync(password);

    await expect(start()).rejects.toThrow(`its password file ${password} is not`);

    writeFileSync(password, kept, { mode: 0o600 });
    expect((await start()).url).toBe(first.url);
  });
});
