import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ModelServer } from './model-server.js';
import type { Stop } from './points.js';
import { compiledProgram } from './run/test-state.js';
import type { TestRuntime } from './runtime/runtime.js';

/** A worker process that can be killed, and that may stop at points. */
export interface WorkerProcess {
  readonly pid: number;
  /** Resolves with its name in Temporal once it is at work. */
  readonly ready: Promise<string>;
  /** Resolves when it has ended, whoever ended it. */
  readonly gone: Promise<void>;
  /** Adds a stop. Resolves when the process knows it. */
  add(stop: Stop): Promise<void>;
  /** Resolves when the stop of these workflows is reached. */
  stopped(workflows: Stop['workflows']): Promise<void>;
  /** Kills it with SIGKILL and waits until it is gone. */
  kill(): Promise<void>;
  readonly errors: readonly string[];
}

export function spawnWorker(env: Record<string, string>): WorkerProcess {
  const child = spawn(process.execPath, [compiledProgram('killableWorker')], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const errors: string[] = [];
  createInterface({ input: child.stderr! }).on('line', (line) => errors.push(line));
  const line = lineOf(child);
  const gone = once(child, 'exit').then(() => undefined);
  const ready = Promise.race([line('ready '), gone]).then((identity) => {
    if (identity !== undefined) return identity;
    throw new Error(`The worker does not start:\n${errors.join('\n')}`);
  });
  ready.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    ready,
    errors,
    gone,
    async add(stop) {
      child.send(stop);
      await line(`knows ${stop.workflows[0]}`);
    },
    stopped: async (workflows) => {
      await line(`reached ${workflows[0]}`);
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** What a worker process of this runtime is told by its environment. */
export function workerEnvironment(runtime: TestRuntime, model: ModelServer): Record<string, string> {
  return {
    DATABASE_URL: runtime.databaseUrl,
    TEMPORAL_ADDRESS: runtime.address,
    TEMPORAL_NAMESPACE: runtime.namespace,
    PERDURE_TASK_QUEUE: runtime.taskQueue,
    OPENAI_BASE_URL: model.baseUrl,
  };
}

/** Waits for a line with this beginning, and returns its rest. */
function lineOf(child: ChildProcess): (start: string) => Promise<string> {
  const seen: string[] = [];
  const waiting: { start: string; resolve: (rest: string) => void }[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => {
    seen.push(line);
    for (const { start, resolve } of waiting) if (line.startsWith(start)) resolve(line.slice(start.length));
  });
  return (start) =>
    new Promise((resolve) => {
      const found = seen.find((line) => line.startsWith(start));
      if (found !== undefined) resolve(found.slice(start.length));
      waiting.push({ start, resolve });
    });
}
