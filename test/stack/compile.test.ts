import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { compileProgram } from '../../adapters/settings/compile.js';
import { packageFile, runProgram } from '../../stack/processes.js';
import { preparePrograms, programFolders } from '../../stack/programs.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const entry = `
import { greeting } from './parts/greeting.js';
import { fail } from './parts/fail.js';
class Refusal extends Error {}
console.log(greeting, Refusal.name);
fail();
`;

const greeting = `
import { readFileSync } from 'node:fs';
class Refusal extends Error {}
export const greeting: string = readFileSync(new URL('greeting.txt', import.meta.url), 'utf8') + Refusal.name;
`;

const fail = `
export function fail(): never {
  throw new TypeError('on purpose');
}
`;

describe('[stack.compiled] a compiled program', () => {
  it('finds what lies beside its sources, keeps the names of classes, and names the sources in a stack', async () => {
    const directory = makeTemporaryDirectory('compile');
    const parts = join(directory, 'sources', 'parts');
    mkdirSync(parts, { recursive: true });
    writeFileSync(join(parts, 'greeting.txt'), 'hello ');
    writeFileSync(join(parts, 'greeting.ts'), greeting);
    writeFileSync(join(parts, 'fail.ts'), fail);
    writeFileSync(join(directory, 'sources', 'main.ts'), entry);

    const file = join(directory, 'main.mjs');
    writeFileSync(file, await compileProgram(join(directory, 'sources', 'main.ts'), directory));
    const logFile = join(directory, 'main.log');
    const running = runProgram({ name: 'main', entry: file, env: process.env, logFile });

    await expect(running).rejects.toThrow(/TypeError: on purpose\n\s+at fail \(.*\/parts\/fail\.ts:3:9\)/);
    expect(readFileSync(logFile, 'utf8')).toContain('\nhello Refusal Refusal\n');
  });

  it('is made of migrations, worker, server and guard, but for those who load a module of their own into them', async () => {
    const { migrate, worker, server, guard } = await preparePrograms({});
    expect([migrate, worker, server, guard]).toEqual([
      expect.stringMatching(/\/node_modules\/\.cache\/perdure\/migrate-[0-9a-f]{24}\.mjs$/),
      expect.stringMatching(/\/node_modules\/\.cache\/perdure\/worker-[0-9a-f]{24}\.mjs$/),
      expect.stringMatching(/\/node_modules\/\.cache\/perdure\/server-[0-9a-f]{24}\.mjs$/),
      expect.stringMatching(/\/node_modules\/\.cache\/perdure\/guard-[0-9a-f]{24}\.mjs$/),
    ]);
    // What is in other folders could change without that they are compiled again.
    const folders = [migrate, worker, server, guard].flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^\/\/ (\w+)\/.+\.ts$/gm)].map(([, folder]) => folder),
    );
    expect(new Set(folders)).toEqual(new Set(programFolders));

    expect(await preparePrograms({ archivalStore: './store.ts' })).toEqual({
      migrate: packageFile('schema/db/migrate.ts'),
      worker: packageFile('worker/main.ts'),
      server: packageFile('server/main.ts'),
      guard: packageFile('stack/backend-guard.ts'),
    });
  });
});
