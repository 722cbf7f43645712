import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { databaseUser, type SystemUser } from '../adapters/settings/database-user.js';
import { removeLeftovers } from './leftovers.js';

/** The name of the superuser of an embedded cluster and of the database that is made in it. */
export const clusterName = 'perdure';
/** A password here is 192 random bits, which no guessing finds: hashing it 4,096 times costs each connection 2 ms alone. */
export const cheapHashes = { scram_iterations: '1' } as const;
/** The role that worker and server use: it owns that database, and is no superuser. */
export const programsRole = 'perdure_programs';

/** Where the parts of one embedded PostgreSQL lie below its data directory. */
export interface ClusterFiles {
  readonly directory: string;
  /** PostgreSQL's own data directory. */
  readonly cluster: string;
  /** Of the superuser. */
  readonly password: string;
  readonly programsPassword: string;
  readonly port: string;
  readonly log: string;
}

/** Names the files; touches nothing. */
export function clusterFiles(directory: string): ClusterFiles {
  return {
    directory,
    cluster: join(directory, 'cluster'),
    password: join(directory, 'password'),
    programsPassword: join(directory, 'programs-password'),
    port: join(directory, 'port'),
    log: join(directory, 'postgres.log'),
  };
}

/** How to spawn PostgreSQL's programs: as the database's user, in a directory that it can enter, without our PG* variables. */
export function spawnAsDatabaseUser(directory: string): {
  cwd: string;
  env: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
} {
  const user = requireDatabaseUser();
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('PG') && !name.startsWith('LC_')),
  );
  const place = { cwd: directory, env: { ...env, LC_ALL: 'C' } };
  return user === undefined ? place : { ...place, uid: user.uid, gid: user.gid };
}

/** The passwords of an embedded cluster, which are made with it and kept in files that only the database's user can read. */
export interface ClusterPasswords {
  readonly admin: string;
  readonly programs: string;
}

/** Makes the cluster unless it is there. An interrupted `initdb` leaves nothing that looks finished. */
export async function prepareCluster(options: {
  files: ClusterFiles;
  binaries: string;
  durable: boolean;
}): Promise<ClusterPasswords> {
  const { files } = options;
  const user = requireDatabaseUser();
  mkdirSync(files.directory, { recursive: true, mode: 0o700 });
  giveTo(user, files.directory, 0o700);
  removeLeftovers(files.directory, `${basename(files.cluster)}.tmp-`);
  if (!existsSync(join(files.cluster, 'PG_VERSION'))) {
    keepPassword(files.password, user);
    await initialise(options);
  }
  // Each start sets this password. It is kept so that the database's URL stays the same.
  if (!existsSync(files.programsPassword)) keepPassword(files.programsPassword, user);
  return { admin: readPassword(files), programs: readFileSync(files.programsPassword, 'utf8').trim() };
}

function keepPassword(file: string, user: SystemUser | undefined): void {
  const temporaryFile = `${file}.tmp`;
  writeFileSync(temporaryFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  giveTo(user, temporaryFile, 0o600);
  renameSync(temporaryFile, file);
}

async function initialise(options: {
  files: ClusterFiles;
  binaries: string;
  durable: boolean;
}): Promise<void> {
  const { files, binaries, durable } = options;
  const unfinished = `${files.cluster}.tmp-${process.pid}`;
  const settings = ['-U', clusterName, '-A', 'scram-sha-256', `--pwfile=${files.password}`, '-E', 'UTF8'];
  const args = [
    '-D',
    unfinished,
    ...settings,
    '--locale=C',
    '--no-instructions',
    ...Object.entries(cheapHashes).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ...(durable ? [] : ['--no-sync']),
  ];
  const { code, output } = await run(join(binaries, 'bin', 'initdb'), args, files.directory);
  if (code !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new Error(`PostgreSQL's initdb could not make ${files.cluster}:\n${output.trim()}`);
  }
  renameSync(unfinished, files.cluster);
}

function readPassword(files: ClusterFiles): string {
  try {
    return readFileSync(files.password, 'utf8').trim();
  } catch (cause) {
    const remedy = 'Put the file back, or move the directory away to begin with an empty database.';
    throw new Error(`${files.cluster} is there, but its password file ${files.password} is not. ${remedy}`, {
      cause,
    });
  }
}

function requireDatabaseUser(): SystemUser | undefined {
  const user = databaseUser();
  if (user === undefined && process.getuid?.() === 0) {
    throw new Error(
      'PostgreSQL refuses to run as root, and there is no user postgres or nobody. Set DATABASE_URL.',
    );
  }
  return user;
}

function giveTo(user: SystemUser | undefined, path: string, mode: number): void {
  if (user !== undefined) chownSync(path, user.uid, user.gid);
  chmodSync(path, mode);
}

function run(
  command: string,
  args: string[],
  directory: string,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...spawnAsDatabaseUser(directory),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, output });
    });
  });
}
