import { join } from 'node:path';
import {
  createToolRunner,
  type RunnableTool,
  type ToolRun,
  type ToolRunner,
} from '../../../adapters/custom-tools/tool-runner.js';
import type { ToolEnd } from '../../../adapters/custom-tools/tool-end.js';
import { createPythonEnvironments } from '../../../adapters/python/environments.js';
import { findPython } from '../../../adapters/python/interpreter.js';
import { openSandbox } from '../../../adapters/sandbox/open-sandbox.js';
import type { Isolation } from '../../../adapters/sandbox/sandbox.js';
import { sharedCache } from '../../../adapters/settings/cache.js';
import { sandboxModes } from './isolation.js';

/** For tests in which no custom tool is run; it fails loudly. */
export const noTools: ToolRunner = {
  prepare: ({ name }) => Promise.reject(new Error(`This test was given nothing to run ${name} with.`)),
};

export interface TestToolRunner extends ToolRunner {
  /** Runs a function of a source; its modules are those that a test says. */
  call(
    source: string,
    call?: Partial<ToolRun> & Partial<Pick<RunnableTool, 'sourceType' | 'runtime' | 'argsSchema'>>,
  ): Promise<ToolEnd>;
}

/** A runner of custom tools with this isolation. Throws SandboxError where that does not work (`describeIsolated`). */
export async function startToolRunner(
  isolation: Isolation,
  options: { readonly apiUrl?: string; readonly timeoutMs?: number } = {},
): Promise<TestToolRunner> {
  const sandbox = await openSandbox({ mode: sandboxModes[isolation], warn: () => undefined });
  const runner = createToolRunner({
    sandbox: () => Promise.resolve(sandbox),
    python: findPython,
    environments: (python) =>
      createPythonEnvironments({
        directory: join(sharedCache(), 'tool-environments'),
        python,
        onProgress: () => undefined,
      }),
    apiUrl: options.apiUrl ?? 'http://127.0.0.1:9',
    timeoutMs: options.timeoutMs ?? 20_000,
  });
  return {
    ...runner,
    async call(source, { sourceType = 'python', runtime = {}, argsSchema = null, ...call } = {}) {
      const name = [...source.matchAll(/^(?:export )?(?:async )?(?:def|function) (\w+)/gm)].at(-1)?.[1] ?? '';
      const prepared = await runner.prepare({
        name,
        sourceType,
        sourceCode: source,
        runtime: { function: name, modules: [], clientGeneration: '0.1', ...runtime },
        argsSchema,
        requirements: [],
        parameters: Object.keys(call.arguments ?? {}),
      });
      if (prepared.kind === 'refused') throw new Error(prepared.message);
      return prepared.run({ arguments: {}, environment: {}, agent: null, token: 'a token', ...call });
    },
  };
}
