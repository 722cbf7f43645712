import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { databaseUser } from '../../adapters/settings/database-user.js';
import { waitFor } from '../../stack/waiting.js';

/** A pooler in transaction mode before the test server. */
export interface Pooler {
  /** The same database, through it. */
  through(url: string): string;
  close(): Promise<void>;
}

/** Whether this machine has pgbouncer. */
export function hasPgbouncer(): boolean {
  return spawnSync('pgbouncer', ['--version']).status === 0;
}

/** Starts one that leads to the server of this URL, with a few sessions that it gives to whoever begins a transaction. */
export async function startPgbouncer(serverUrl: string): Promise<Pooler> {
  const server = new URL(serverUrl);
  const directory = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  const port = await freePort();
  const password = decodeURIComponent(server.password);
  const to = `host=${server.hostname} port=${server.port} user=${server.username}`;
  const settings = [
    '[databases]',
    `* = ${to}${password === '' ? '' : ` password=${password}`}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 8',
    'max_client_conn = 200',
  ];
  const file = join(directory, 'pgbouncer.ini');
  writeFileSync(file, settings.join('\n'));
  const user = databaseUser();
  // It refuses to be root.
  if (user !== undefined) {
    for (const path of [directory, file]) chownSync(path, user.uid, user.gid);
    chmodSync(directory, 0o700);
  }
  const identity = user === undefined ? {} : { uid: user.uid, gid: user.gid };
  const child = spawn('pgbouncer', ['-q', file], { stdio: 'ignore', ...identity });
  const through = (url: string): string => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href;
  await untilAnswering(child, through(serverUrl));
  return {
    through,
    async close() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function untilAnswering(child: ChildProcess, url: string): Promise<void> {
  const answered = await waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}.`);
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.query('select 1');
        return true;
      } catch {
        return undefined;
      } finally {
        await client.end().catch(() => undefined);
      }
    },
    { timeoutMs: 30_000, everyMs: 100 },
  );
  if (answered !== true) throw new Error('pgbouncer does not answer.');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
