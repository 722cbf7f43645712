import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { compiledProgram } from './run/test-state.js';

/** A worker process that can be killed, and that may freeze at a point (see killable-worker.ts). */
export interface WorkerProcess {
  readonly pid: number;
  readonly ready: Promise<void>;
  /** Resolves when the process froze at its point. */
  readonly frozen: Promise<void>;
  /** Resolves when it has ended, whoever ended it. */
  readonly gone: Promise<void>;
  /** Sets the point at which it freezes. Resolves when the process knows it. */
  arm(point: string): Promise<void>;
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
    frozen: line('frozen'),
    errors,
    gone,
    arm(point) {
      child.send(point);
      return line(`armed ${point}`);
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await gone;
    },
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
