import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDiskFull } from '../adapters/settings/full-disk.js';
import { flagsFor } from '../adapters/settings/own-modules.js';
import { readSince, setLongLogAside } from './logs.js';

/** A program of this package that runs in a process of its own. */
export interface ProgramOptions {
  /** Its name in messages: `worker`. */
  readonly name: string;
  /** Its main module: TypeScript, run by tsx, or compiled. */
  readonly entry: string;
  readonly env: NodeJS.ProcessEnv;
  /** Takes its output. */
  readonly logFile: string;
}

/** A spawned program, and what it wrote to its log so far. */
export interface SpawnedProgram {
  readonly child: ChildProcess;
  readonly readLog: () => string;
}

const endWithParent = new URL('end-with-parent.mjs', import.meta.url).href;

/** The path of a file of this package, whatever the working directory is. */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/**
 * Spawns the program with a channel for messages. Its output goes straight into the log file, so nothing is lost and
 * nothing breaks when this process dies.
 */
export function spawnProgram({ name, entry, env, logFile }: ProgramOptions): SpawnedProgram {
  mkdirSync(dirname(logFile), { recursive: true });
  evenWithoutRoom(() => {
    setLongLogAside(logFile);
  });
  const logged = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(process.execPath, [...flagsFor(entry), '--import', endWithParent, entry], {
    env,
    stdio: ['ignore', log, log, 'ipc'],
    // In a process group of its own: Ctrl-C in the terminal must reach only the stack, which stops the parts in order.
    detached: true,
  });
  evenWithoutRoom(() => {
    writeSync(log, `[stack] ${name} is process ${child.pid ?? 'none'}, ${new Date().toISOString()}\n`);
  });
  closeSync(log);
  return { child, readLog: () => readSince(logFile, logged).slice(-4_000) };
}

/** A program runs even where its log can't be written. */
function evenWithoutRoom(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

/** Runs a program to its end. Throws, with the end of its log, when it fails. */
export async function runProgram(options: ProgramOptions): Promise<void> {
  const { child, readLog } = spawnProgram(options);
  const code = await endOf(child);
  if (code !== 0)
    throw new Error(`${options.name} failed (${String(code)}); its log is ${options.logFile}:\n${readLog()}`);
}

/** The exit code, or the signal's name, once the process is gone. */
export function endOf(child: ChildProcess): Promise<number | NodeJS.Signals | Error> {
  return new Promise((resolve) => {
    child.once('error', resolve);
    child.once('exit', (code, signal) => {
      resolve(code ?? signal ?? 0);
    });
  });
}
