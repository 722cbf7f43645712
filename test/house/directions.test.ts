import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../support/house/project-files.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const execute = promisify(execFile);

const folders = [
  'core',
  'schema',
  'adapters',
  'activities',
  'workflows',
  'client',
  'worker',
  'server',
  'stack',
  'cli',
  'studio',
];
/** Folders within layers that the imports below lead to. */
const subjects = [
  ...[
    'core/threads',
    'core/turns',
    'schema/agents',
    'schema/blocks',
    'schema/db',
    'schema/refinement',
    'schema/turns',
  ],
  ...['server/agents', 'server/http', 'activities/turns'],
];
const reaches = (folder: string) => `${folder}-reaches-only-what-it-may`;

/** A forbidden import and the rule that reports it. */
const wrong: readonly [file: string, code: string, rule: string][] = [
  ['core/a.ts', `import '../schema/target.js';`, reaches('core')],
  ['core/b.ts', `import 'a-package';`, 'core-imports-nothing-but-the-line-diff'],
  ['core/c.ts', `import 'node:fs';`, 'core-imports-nothing-but-the-line-diff'],
  ['schema/a.ts', `import '../activities/target.js';`, reaches('schema')],
  ['schema/b.ts', `import '../adapters/target.js';`, reaches('schema')],
  ['adapters/a.ts', `import '../schema/target.js';`, reaches('adapters')],
  ['activities/a.ts', `import '../workflows/target.js';`, reaches('activities')],
  ['workflows/a.ts', `import '../schema/target.js';`, reaches('workflows')],
  ['workflows/b.ts', `import '../activities/target.js';`, 'workflows-run-only-core'],
  ['workflows/c.ts', `import 'a-package';`, 'workflows-run-only-core'],
  ['workflows/d.ts', `import 'node:fs';`, 'workflows-run-only-core'],
  ['client/a.ts', `import '../activities/target.js';`, reaches('client')],
  ['client/b.ts', `import '../workflows/target.js';`, 'callers-run-only-the-protocol'],
  ['client/c.ts', `import type { T } from '../server/target.js'; export type U = T;`, reaches('client')],
  ['worker/a.ts', `import '../server/target.js';`, reaches('worker')],
  ['server/a.ts', `import '../workflows/protocol.js';`, reaches('server')],
  ['server/b.ts', `import '../activities/target.js';`, reaches('server')],
  ['stack/a.ts', `import '../schema/target.js';`, reaches('stack')],
  ['cli/a.ts', `import '../client/target.js';`, reaches('cli')],
  ['studio/a.ts', `import '../server/target.js';`, 'studio-runs-only-core'],
  ['stack/b.ts', `import '../test/target.js';`, 'code-never-imports-tests'],
  ['schema/about.ts', `import './round.js';`, 'no-cycles'],
  ['schema/archives/a.ts', `import '../turns/target.js';`, 'schema-archives-uses-only-its-neighbours'],
  ['schema/blocks/a.ts', `import '../agents/creation.js';`, 'schema-blocks-uses-only-its-neighbours'],
  ['schema/turns/a.ts', `import '../refinement/target.js';`, 'schema-turns-uses-only-its-neighbours'],
  ['schema/news/a.ts', `import '../turns/target.js';`, 'schema-lists-its-subjects'],
  ['core/blocks/a.ts', `import '../threads/target.js';`, 'core-blocks-uses-only-its-neighbours'],
  ['core/tools/a.ts', `import '../turns/target.js';`, 'core-tools-uses-only-its-neighbours'],
  ['activities/threads/a.ts', `import '../turns/target.js';`, 'activities-threads-uses-only-its-neighbours'],
  ['server/blocks/a.ts', `import '../agents/target.js';`, 'server-blocks-uses-only-its-neighbours'],
  ['server/blocks/b.ts', `import './right-routes.js';`, 'only-the-app-and-routes-use-routes'],
];

/** Imports that the design allows. */
const right: readonly [file: string, code: string][] = [
  [
    'schema/right.ts',
    `import '../core/target.js'; import '../adapters/settings/target.js'; import 'a-package';`,
  ],
  ['schema/threads/right.ts', `import '../db/target.js'; import '../blocks/target.js';`],
  ['schema/agents/creation.ts', `import '../blocks/target.js';`],
  ['schema/refinement/requests.ts', `import './target.js';`],
  ['schema/turns/right.ts', `import '../refinement/requests.js';`],
  ['server/blocks/right-routes.ts', `import '../agents/target.js'; import '../http/target.js';`],
  ['server/app.ts', `import './blocks/right-routes.js';`],
  ['workflows/right.ts', `import type { T } from '../activities/target.js'; export type U = T;`],
  ['workflows/sdk.ts', `import '@temporalio/workflow'; import '../core/target.js';`],
  ['client/right.ts', `import '../workflows/protocol.js'; import '../schema/target.js';`],
  ['worker/right.ts', `import '../client/target.js'; import '../activities/target.js'; import 'node:fs';`],
  ['server/right.ts', `import '../client/target.js'; import '../adapters/target.js';`],
  [
    'cli/right.ts',
    `import '../adapters/settings/target.js'; import '../core/target.js'; import 'a-package';`,
  ],
  [
    'studio/right.ts',
    `import type { T } from '../server/target.js'; import '../core/target.js'; export type U = T;`,
  ],
  ['stack/right.ts', `import '../adapters/settings/target.js';`],
];

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

describe('[house.directions] imports between folders', () => {
  let found: readonly string[];

  beforeAll(async () => {
    const directory = makeTemporaryDirectory('directions');
    const write = (file: string, code: string) => {
      mkdirSync(dirname(join(directory, file)), { recursive: true });
      writeFileSync(join(directory, file), `${code}\n`);
    };
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json']) {
      cpSync(join(projectRoot, file), join(directory, file));
    }
    write('package.json', '{ "type": "module" }');
    for (const name of ['a-package', '@temporalio/workflow']) {
      write(`node_modules/${name}/package.json`, `{ "name": "${name}", "main": "index.js" }`);
      write(`node_modules/${name}/index.js`, '');
    }
    for (const folder of [...folders, ...subjects, 'adapters/settings', 'test']) {
      write(`${folder}/target.ts`, 'export interface T { readonly t: 1 }');
    }
    write('workflows/protocol.ts', 'export const t = 1;');
    write('schema/round.ts', `import './about.js';`);
    for (const [file, code] of [...wrong, ...right]) write(file, code);

    const cruise = join(projectRoot, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');
    const output = await execute(process.execPath, [cruise, ...folders, '--output-type', 'json'], {
      cwd: directory,
      maxBuffer: 16 * 1_048_576,
    });
    const { summary } = JSON.parse(output.stdout) as { summary: { violations: readonly Violation[] } };
    found = summary.violations.map(({ from, rule }) => `${from} ${rule.name}`);
  });

  it.each(wrong)('are refused if the design forbids them: %s', (file, _code, rule) => {
    expect(found).toContain(`${file} ${rule}`);
  });

  it.each(right)('are allowed if the design needs them: %s', (file) => {
    expect(found.filter((violation) => violation.startsWith(file))).toEqual([]);
  });
});
