import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { identifyProcess } from '../../adapters/settings/process-identity.js';
import { runProgram, spawnProgram } from '../../stack/processes.js';
import { supervise, type SuperviseOptions, type Supervised } from '../../stack/supervisor.js';
import { waitFor } from '../../stack/waiting.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

let directory: string;
let supervised: Supervised | undefined;
let said: string[];

beforeEach(() => {
  directory = makeTemporaryDirectory('supervisor');
  supervised = undefined;
  said = [];
});

afterEach(async () => {
  await supervised?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const logFile = () => join(directory, 'logs', 'program.log');

function programOf(source: string, file = 'program.mjs') {
  const entry = join(directory, file);
  writeFileSync(entry, source);
  return { name: 'worker', entry, env: { ...process.env, GREETING: 'hello' }, logFile: logFile() };
}

async function superviseOf(
  source: string,
  options: Partial<Pick<SuperviseOptions, 'graceMs' | 'healthyAfterMs'>> = {},
): Promise<Supervised> {
  const onProgress = (line: string) => said.push(line);
  // Programs live shorter than this, however slow the machine is.
  const defaults = { graceMs: 5_000, healthyAfterMs: 600_000 };
  supervised = await supervise({ ...programOf(source), onProgress, ...defaults, ...options });
  return supervised;
}

const lasting = `
  const greeting = process.env['GREETING'] ?? '';
  setInterval(() => undefined, 1_000);
  process.once('SIGTERM', () => { console.log('ended in order'); process.exit(0); });
  process.send({ ready: true, greeting });
`;

const gone = (pid: number) =>
  waitFor(() => identifyProcess(pid) === undefined || undefined, { timeoutMs: 90_000 });

describe('supervise', () => {
  it('resolves when the program says that it is up, and passes on what it said', async () => {
    const program = await superviseOf(lasting);

    expect(await program.whenReady()).toEqual({ ready: true, greeting: 'hello' });
    expect(identifyProcess(program.pid ?? 0)).toBeDefined();
  });

  it('starts it again after kill -9, and says so', async () => {
    const program = await superviseOf(lasting);
    const first = program.pid;

    program.kill('SIGKILL');
    await program.whenReady();

    expect(program.pid).not.toBe(first);
    expect(program.restarts).toBe(1);
    expect(said).toEqual(['The worker ended (SIGKILL): starting it again in 250 ms']);
  });

  it('starts a healthy one again at once', async () => {
    const program = await superviseOf(lasting, { healthyAfterMs: -1 });

    for (const restarts of [1, 2]) {
      program.kill('SIGKILL');
      await program.whenReady();
      expect(program.restarts).toBe(restarts);
    }

    expect(said).toEqual(Array(2).fill('The worker ended (SIGKILL): starting it again'));
  });

  it('replaces it in order when asked', async () => {
    const program = await superviseOf(lasting);
    const first = program.pid;

    await program.restart();

    expect(program.pid).not.toBe(first);
    expect(readFileSync(logFile(), 'utf8')).toContain('ended in order');
    expect(said).toEqual([]);
  });

  it('ends it in order and for good', async () => {
    const program = await superviseOf(lasting);
    const pid = program.pid ?? 0;

    await program.stop();

    expect(program.pid).toBeUndefined();
    expect(identifyProcess(pid)).toBeUndefined();
    expect(readFileSync(logFile(), 'utf8')).toContain('ended in order');
    expect(said).toEqual([]);
  });

  it('ends one by force that does not listen', async () => {
    const program = await superviseOf(
      `process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1_000); process.send({ ready: true });`,
      { graceMs: 200 },
    );
    const pid = program.pid ?? 0;

    await program.stop();

    expect(identifyProcess(pid)).toBeUndefined();
  });

  it('fails with the end of the log when the program ends before it is up', async () => {
    await expect(superviseOf(`console.error('the port is taken'); process.exit(7);`)).rejects.toThrow(
      /^The worker does not start \(7\); its log is .*program\.log:\n(.*\n)*the port is taken$/,
    );
  });
});

describe('runProgram', () => {
  it('resolves when the program, which may be TypeScript, has done its work', async () => {
    await runProgram(programOf(`const said: string = 'migrated'; console.log(said);`, 'program.mts'));

    expect(readFileSync(logFile(), 'utf8')).toContain('migrated');
  });

  it('fails with the end of the log when the program fails', async () => {
    await expect(runProgram(programOf(`throw new Error('no such table');`))).rejects.toThrow(/no such table/);
  });
});

describe('a spawned program', () => {
  it('ends in order when its parent is gone', async () => {
    const { child } = spawnProgram(programOf(lasting));
    await new Promise((resolve) => child.once('message', resolve));

    // What the program sees of a parent that is killed: the channel closes.
    child.disconnect();

    expect(await gone(child.pid ?? 0)).toBe(true);
    expect(readFileSync(logFile(), 'utf8')).toContain('ended in order');
  });
});
