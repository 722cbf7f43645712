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
  readonly ready: Promise<void>;
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
  const ready = Promise.race([line('ready'), gone]).then(() => {
    if (child.exitCode !== null) throw new Error(`The worker does not start:\n${errors.join('\n')}`);
  });
  ready.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    ready,
    errors,
    gone,
    add(stop) {
      child.send(stop);
      return line(`knows ${stop.workflows[0]}`);
    },
    stopped: (workflows) => line(`reached ${workflows[0]}`),
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

function lineOf(child: ChildProcess): (start: string) => Promise<void> {
  const seen: string[] = [];
  const waiting: { start: string; resolve: () => void }[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => {
    seen.push(line);
    for (const { start, resolve } of waiting) if (line.startsWith(start)) resolve();
  });
  return (start) =>
    new Promise((resolve) => {
      if (seen.some((line) => line.startsWith(start))) resolve();
      waiting.push({ start, resolve });
    });
}
