import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { supervise, type Supervised } from '../../stack/supervisor.js';
import { waitFor } from '../../stack/waiting.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

/** Where every write fails as on a full disk. */
const fullDisk = '/dev/full';

const chatty = `
  const chat = () => { console.log('a line'); process.stdout.write('and another\\n'); process.stderr.write('and a third\\n'); };
  chat();
  setInterval(chat, 10);
  let beats = 0;
  setInterval(() => { beats += 1; if (beats === 5) process.send?.({ ready: true }); }, 20);
`;

describe('[stack.full-disk] a program that is kept running', () => {
  let directory: string;
  let supervised: Supervised | undefined;
  let said: string[];

  beforeEach(() => {
    directory = makeTemporaryDirectory('full-disk');
    said = [];
  });

  afterEach(async () => {
    await supervised?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function superviseOn(logFile: string): Promise<Supervised> {
    const entry = join(directory, 'program.mjs');
    writeFileSync(entry, chatty);
    const onProgress = (line: string) => said.push(line);
    supervised = await supervise({ name: 'worker', entry, env: process.env, logFile, onProgress });
    return supervised;
  }

  it('comes up, outlives its lost lines and comes back where its log has no room', async () => {
    const logFile = join(directory, 'worker.log');
    symlinkSync(fullDisk, logFile);

    const program = await superviseOn(logFile);
    const first = program.pid;
    program.kill('SIGKILL');
    await program.whenReady();

    expect(program.pid).not.toBe(first);
    expect(said).toEqual(['The worker ended (SIGKILL): starting it again in 250 ms']);
  });

  it('is started again once there is a place for its log', async () => {
    const logs = join(directory, 'logs');
    const program = await superviseOn(join(logs, 'worker.log'));
    rmSync(logs, { recursive: true });
    writeFileSync(logs, 'in the way');

    program.kill('SIGKILL');
    const isTold = () => said.some((line) => /^The worker ended \(Error: E/.test(line)) || undefined;
    await waitFor(isTold, { timeoutMs: 90_000 });
    rmSync(logs);
    mkdirSync(logs);
    await program.whenReady();

    expect(program.restarts).toBeGreaterThan(1);
  });
});
