import { type ChildProcess } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { compileProgram } from '../../adapters/settings/compile.js';
import { endOf, packageFile, spawnProgram } from '../../stack/processes.js';
import { supervise, type Supervised } from '../../stack/supervisor.js';
import { waitFor } from '../../stack/waiting.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

let directory: string;
let supervised: Supervised | undefined;
let spawned: ChildProcess[];

beforeEach(() => {
  directory = makeTemporaryDirectory('standstill');
  supervised = undefined;
  spawned = [];
});

afterEach(async () => {
  await supervised?.stop();
  for (const child of spawned) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

/** A program that watches itself, is up, and then does this. */
async function watching(name: string, body: string) {
  const source = join(directory, `${name}.mts`);
  const standstill = JSON.stringify(packageFile('adapters/standstill/standstill.ts'));
  writeFileSync(
    source,
    `import { existsSync, writeFileSync } from 'node:fs';
    import { watchStandstill } from ${standstill};
    watchStandstill({ afterMs: 1_500, atWork: () => ({ name: 'nothing', id: 'nobody' }) });
    setInterval(() => undefined, 1_000);
    ${body}
    process.send?.({ ready: true });`,
  );
  const entry = join(directory, `${name}.mjs`);
  writeFileSync(entry, await compileProgram(source, directory));
  return { name, entry, env: process.env, logFile: join(directory, `${name}.log`) };
}

// Asleep within its loop: it computes nothing, and can be asked what it does.
const block = `const cell = new Int32Array(new SharedArrayBuffer(4));
  setTimeout(() => { for (;;) Atomics.wait(cell, 0, 0, 20); }, 10);`;

describe('a program that watches itself', () => {
  it('is started again where its event loop stands still, and said what it was at [turn.deadly]', async () => {
    const mark = JSON.stringify(join(directory, 'stood-still'));
    const program = await watching(
      'once',
      `if (!existsSync(${mark})) { writeFileSync(${mark}, ''); ${block} }`,
    );
    const said: string[] = [];
    supervised = await supervise({ ...program, onProgress: (line) => said.push(line) });

    const restarted = () => (supervised!.restarts === 1 ? true : undefined);
    expect(await waitFor(restarted, { timeoutMs: 90_000 })).toBe(true);
    await supervised.whenReady();
    expect(said).toEqual([expect.stringMatching(/ended \(SIGKILL\): starting it again/)]);
    expect(readFileSync(program.logFile, 'utf8')).toContain(
      'Nothing went on here for 2 s in nothing of nobody',
    );
  });

  it('is not ended for having been stopped [turn.paused-worker]', async () => {
    const start = async (name: string, body: string) => {
      const { child } = spawnProgram(await watching(name, body));
      spawned.push(child);
      return { child, end: endOf(child), ready: new Promise((resolve) => child.once('message', resolve)) };
    };
    const paused = await start('paused', `process.on('SIGUSR2', () => process.send?.({ here: true }));`);
    await paused.ready;

    paused.child.kill('SIGSTOP');
    // For as long as it takes to end another one.
    expect(await (await start('stuck', block)).end).toBe('SIGKILL');
    paused.child.kill('SIGCONT');
    const answers = new Promise((resolve) => paused.child.once('message', resolve));
    paused.child.kill('SIGUSR2');

    expect(await Promise.race([answers, paused.end])).toEqual({ here: true });
  });
});
