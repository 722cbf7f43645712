import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findMemoryGroups } from '../../adapters/sandbox/memory-groups.js';
import { openSandbox } from '../../adapters/sandbox/open-sandbox.js';
import { describeIsolated } from '../support/tools/isolation.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

/** Creates the files of a machine with control groups v2: the group of this process, and the controllers that each group delegates. */
function aMachine(own: string, shares: Readonly<Record<string, string>>): { proc: string; root: string } {
  const directory = makeTemporaryDirectory('groups');
  const [proc, root] = [join(directory, 'proc'), join(directory, 'cgroup')];
  for (const [path, controllers] of Object.entries(shares)) {
    mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, path, 'cgroup.subtree_control'), controllers);
    writeFileSync(join(root, path, 'cgroup.procs'), '');
  }
  mkdirSync(proc);
  writeFileSync(join(proc, 'cgroup'), `0::${own}\n`);
  writeFileSync(
    join(proc, 'mountinfo'),
    `36 25 0:30 / ${root} rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n`,
  );
  return { proc, root };
}

describe('[tools.memory-counted] memory groups', () => {
  it('are created with a limit where version 2 of control groups delegates memory', () => {
    const { proc, root } = aMachine('/app.slice/me.scope', {
      '/': 'cpu memory',
      '/app.slice': 'cpu memory pids',
      '/app.slice/me.scope': '',
    });
    const group = findMemoryGroups(proc)?.make(1_000_000);
    const [made = ''] = readdirSync(join(root, 'app.slice')).filter((name) =>
      name.startsWith('perdure-tool-'),
    );
    const read = (file: string) => readFileSync(join(root, 'app.slice', made, file), 'utf8');

    expect(read('memory.max')).toBe('1000000');
    const [command = '', ...args] = (group?.enter ?? []).concat('/bin/sh', '-c', 'echo $$');
    expect(execFileSync(command, args, { encoding: 'utf8' })).toBe(read('cgroup.procs'));
    expect(group?.wasExceeded()).toBe(false);
    writeFileSync(join(root, 'app.slice', made, 'memory.events'), 'low 0\nmax 9\noom 1\noom_kill 1\n');
    expect(group?.wasExceeded()).toBe(true);
  });

  it.each([
    ['no group delegates memory', { '/': 'cpu', '/me.scope': '' }],
    ['this process is in no group', {}],
  ])('are not created if %s', (_why, shares) => {
    expect(findMemoryGroups(aMachine('/me.scope', shares).proc)).toBeUndefined();
  });

  it('are not created without /proc', () => {
    expect(findMemoryGroups('/nowhere')).toBeUndefined();
  });
});

describeIsolated('[tools.memory-counted] memory groups', () => {
  // Runs only where this process may create groups, as root may.
  const itIfPermitted = findMemoryGroups() === undefined ? it.skip : it;
  itIfPermitted(
    'limit memory outside any process, such as files in memory, and work for the next run',
    async () => {
      const limits = { memoryBytes: 32 << 20, diskBytes: 256 << 20, fileBytes: 256 << 20 };
      const sandbox = await openSandbox({ mode: 'strict', limits, warn: () => undefined });
      const filling = 'head -c 128M /dev/zero > /tmp/big; echo done >&3';

      const end = await sandbox.run({
        ...{ command: ['/bin/sh', '-c', filling], input: '', readable: [], timeoutMs: 30_000 },
      });

      expect(sandbox.memory).toBe('counted');
      expect(end).toMatchObject({ excess: 'memory' });
      const small = await sandbox.run({
        ...{ command: ['/bin/sh', '-c', 'echo well >&3'], input: '', readable: [], timeoutMs: 30_000 },
      });
      expect(small).toMatchObject({ answer: 'well\n', excess: undefined });
    },
  );
});
