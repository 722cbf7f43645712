import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStackFile, type StackFile } from '../adapters/settings/endpoints.js';
import { identifyProcess, isSameProcess } from '../adapters/settings/process-identity.js';

/** Thrown when another stack runs on the data directory. */
export class StackRunningError extends Error {
  readonly home: string;
  readonly pid: number;

  constructor(home: string, pid: number, running: StackFile | undefined) {
    const where =
      running === undefined
        ? 'it is still starting'
        : `its API is ${running.api}, its Temporal ${running.temporalUi ?? running.temporalAddress}`;
    super(
      `A stack already runs on ${home}: process ${pid}, ${where}. ` +
        'Stop it first (Ctrl-C there), or set PERDURE_HOME and PORT for a second one.',
    );
    this.name = 'StackRunningError';
    this.home = home;
    this.pid = pid;
  }
}

/** The right to run the stack of a data directory. */
export interface StackLock {
  /** True when the last holder died without releasing it: its processes may still be ending. */
  readonly tookOver: boolean;
  readonly release: () => void;
}

interface Holder {
  readonly pid: number;
  /** Of the process: see `identifyProcess`. */
  readonly identity: string;
}

/**
 * Takes the lock of a data directory, even from a dead holder. Invariants:
 * 1. the file appears with its content, in one step, and only where there is none;
 * 2. of several that find the same dead holder, one removes its file, and never the file of a living one.
 * Throws StackRunningError when a living process holds it.
 */
export function takeLock(home: string): StackLock {
  mkdirSync(home, { recursive: true });
  const file = lockFile(home);
  const me: Holder = { pid: process.pid, identity: identifyProcess(process.pid) ?? '' };
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, JSON.stringify(me));
  let tookOver = false;
  try {
    while (!tryLink(mine, file)) {
      const holder = readHolder(file);
      if (holder !== undefined && isSameProcess(holder.pid, holder.identity)) throw refusal(home, holder);
      removeDead(file);
      tookOver = true;
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return {
    tookOver,
    release: () => {
      if (readHolder(file)?.pid === process.pid) rmSync(file, { force: true });
    },
  };
}

/** Whether a living stack holds the data directory. */
export function isOwned(home: string): boolean {
  const holder = readHolder(lockFile(home));
  return holder !== undefined && isSameProcess(holder.pid, holder.identity);
}

function lockFile(home: string): string {
  return join(home, 'stack.lock');
}

function removeDead(file: string): void {
  const aside = `${file}.dead-${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = readHolder(aside);
  // Another start may have taken the lock since we looked: it gets its file back.
  if (moved !== undefined && isSameProcess(moved.pid, moved.identity)) tryLink(aside, file);
  rmSync(aside, { force: true });
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

function refusal(home: string, holder: Holder): StackRunningError {
  return new StackRunningError(home, holder.pid, readStackFile(home));
}
