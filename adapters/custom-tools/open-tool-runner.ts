import { join } from 'node:path';
import { createPythonEnvironments, type PythonEnvironments } from '../python/environments.js';
import { findPython, type Python } from '../python/interpreter.js';
import { openSandbox } from '../sandbox/open-sandbox.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { sharedCache } from '../settings/cache.js';
import type { Settings } from '../settings/settings.js';
import { createToolRunner, type ToolRunner } from './tool-runner.js';

/** The configured sandbox, opened at its first use. */
export function sandboxOf(
  { sandbox: mode }: Settings['tools'],
  warn: (message: string) => void,
): () => Promise<Sandbox> {
  return once(() => openSandbox({ mode, warn }));
}

/** Creates the runner of custom tools. The sandbox is tried at once, so that its warning appears at the start. */
export function openToolRunner(
  settings: Settings['tools'],
  say: (message: string) => void,
  sandbox = sandboxOf(settings, say),
): ToolRunner {
  // A later call of a tool reports the failure again.
  void sandbox().catch((error: unknown) => {
    say(String(error));
  });
  return createToolRunner({
    sandbox,
    python: findPython,
    environments: oncePerPython((python) =>
      createPythonEnvironments({
        directory: join(sharedCache(), 'tool-environments'),
        python,
        onProgress: say,
      }),
    ),
    apiUrl: settings.apiUrl,
    timeoutMs: settings.timeoutMs,
  });
}

function once(open: () => Promise<Sandbox>): () => Promise<Sandbox> {
  let opened: Promise<Sandbox> | undefined;
  return () => (opened ??= open());
}

function oncePerPython(
  create: (python: Python) => PythonEnvironments,
): (python: Python) => PythonEnvironments {
  let environments: PythonEnvironments | undefined;
  return (python) => (environments ??= create(python));
}
