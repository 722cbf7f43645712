import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { identifyProcess } from '../../adapters/settings/process-identity.js';
import { endOf } from '../../stack/processes.js';
import { sweepDeadRuns } from '../support/run/leftovers.js';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'perdure-leftovers-'));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function runOf(pid: number, owner: unknown): string {
  const directory = join(root, `perdure-test-${pid}`);
  mkdirSync(directory);
  writeFileSync(join(directory, 'owner.json'), JSON.stringify(owner));
  return directory;
}

describe('sweepDeadRuns', () => {
  it('ends the servers of a killed run and removes its directory', async () => {
    const server = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true });
    const ended = endOf(server);
    const pid = server.pid ?? 0;
    const directory = runOf(1, {
      run: { pid: process.pid, identity: 'an earlier process' },
      servers: [{ pid, identity: identifyProcess(pid) }],
    });

    sweepDeadRuns(root);

    expect(await ended).toBe('SIGKILL');
    expect(existsSync(directory)).toBe(false);
  });

  it('leaves a living run alone, and programs that only have the number of a former server', () => {
    const me = { pid: process.pid, identity: identifyProcess(process.pid) };
    const living = runOf(2, { run: me, servers: [] });
    runOf(3, {
      run: { ...me, identity: 'an earlier process' },
      servers: [{ ...me, identity: 'an earlier process' }],
    });

    sweepDeadRuns(root);

    expect(existsSync(living)).toBe(true);
    expect(existsSync(join(root, 'perdure-test-3'))).toBe(false);
  });
});
