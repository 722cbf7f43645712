import { builtinModules } from 'node:module';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { bundleWorkflowCode } from '@temporalio/worker';
import { projectRoot } from '../support/house/project-files.js';
import { loadWorkflowBundle } from '../support/runtime/temporal.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

/** The files of a bundle, as webpack names them. */
function modulesOf(code: string): string[] {
  return [...code.matchAll(/^\/\*{3}\/ "([^"]+)"/gm)].flatMap(([, id]) => (id === undefined ? [] : [id]));
}

/** The packages of these modules. */
function packagesOf(modules: readonly string[]): string[] {
  const names = modules.flatMap((id) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id) ?? [];
    return name === undefined ? [] : [name];
  });
  return [...new Set(names)].sort();
}

describe('[house.bundle] the workflow bundle', () => {
  const modules = modulesOf(loadWorkflowBundle().code);

  it('contains only workflows, core and Temporal’s own packages', () => {
    const folders = new Set(
      modules
        .flatMap((id) => /^\.\/([a-z]+)\//.exec(id)?.slice(1) ?? [])
        .filter((name) => name !== 'node_modules'),
    );
    expect([...folders].sort()).toEqual(['core', 'workflows']);
  });

  it('contains no other package and no Node built-in', () => {
    expect(packagesOf(modules)).toEqual([
      '@temporalio/common',
      '@temporalio/workflow',
      'long',
      'ms',
      'nexus-rpc',
    ]);
    const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
    expect(modules.filter((id) => builtins.has(id.replace(/^external /, '')))).toEqual([]);
  });

  it('cannot be built with a Node built-in', async () => {
    const directory = makeTemporaryDirectory('bundle');
    mkdirSync(join(directory, 'workflows'));
    symlinkSync(join(projectRoot, 'node_modules'), join(directory, 'node_modules'));
    const workflowsPath = join(directory, 'workflows', 'index.ts');
    const said: string[] = [];
    const log = (...parts: unknown[]) => said.push(parts.join(' '));
    const logger = { log, trace: log, debug: log, info: log, warn: log, error: log };
    writeFileSync(workflowsPath, `import { readFileSync } from 'node:fs'; export const read = readFileSync;`);
    const refused = bundleWorkflowCode({ workflowsPath, logger });

    await expect(refused).rejects.toThrow(/^Webpack finished with errors/);
    expect(said.join('\n')).toContain('node:fs');
  });
});
