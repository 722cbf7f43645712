import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeStackFile } from '../../adapters/settings/endpoints.js';
import { identifyProcess } from '../../adapters/settings/process-identity.js';
import { StackRunningError, takeLock } from '../../stack/lock.js';
import { endOf } from '../../stack/processes.js';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'perdure-lock-'));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

const file = () => join(home, 'stack.lock');

function refusal(): StackRunningError {
  try {
    takeLock(home);
  } catch (error) {
    if (error instanceof StackRunningError) return error;
    throw error;
  }
  throw new Error('The lock was given twice.');
}

describe('takeLock', () => {
  it('is given once, and again after its release', () => {
    const lock = takeLock(home);
    expect(refusal()).toMatchObject({ home, pid: process.pid });
    lock.release();

    expect(takeLock(home).tookOver).toBe(false);
    expect(readdirSync(home)).toEqual(['stack.lock']);
  });

  it('names the process and the addresses of the stack that has it', () => {
    takeLock(home);
    expect(refusal().message).toContain(`process ${process.pid}, it is still starting`);
    writeStackFile(home, {
      pid: process.pid,
      identity: identifyProcess(process.pid) ?? '',
      databaseUrl: 'postgres://perdure:secret@127.0.0.1:5/perdure',
      temporalAddress: '127.0.0.1:7',
      temporalUi: 'http://127.0.0.1:8',
      api: 'http://127.0.0.1:9',
      namespace: 'default',
    });

    const { message } = refusal();

    expect(message).toContain(
      `process ${process.pid}, its API is http://127.0.0.1:9, its Temporal http://127.0.0.1:8`,
    );
    expect(message).not.toContain('secret');
  });

  it('is taken over from a process that was killed', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const pid = child.pid ?? 0;
    writeFileSync(file(), JSON.stringify({ pid, identity: identifyProcess(pid) }));
    expect(refusal().pid).toBe(pid);
    const ended = endOf(child);
    child.kill('SIGKILL');
    await ended;

    const lock = takeLock(home);

    expect(lock.tookOver).toBe(true);
    expect(refusal().pid).toBe(process.pid);
    expect(readdirSync(home)).toEqual(['stack.lock']);
  });

  it.each([
    [
      'whose number another program has now',
      JSON.stringify({ pid: process.pid, identity: 'an earlier process' }),
    ],
    ['that was only half written', '{"pid":'],
  ])('is taken over from a holder %s', (_which, content) => {
    writeFileSync(file(), content);

    expect(takeLock(home).tookOver).toBe(true);
  });

  it('does not remove the lock of another process on release', () => {
    const lock = takeLock(home);
    writeFileSync(file(), JSON.stringify({ pid: process.ppid, identity: identifyProcess(process.ppid) }));

    lock.release();

    expect(existsSync(file())).toBe(true);
  });
});
