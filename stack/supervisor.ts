import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { endOf, spawnProgram, type ProgramOptions } from './processes.js';
import type { OnProgress } from './progress.js';

/** What a program tells its parent when it is up, with further fields such as its address. */
interface ReadyMessage {
  readonly ready: true;
  readonly [detail: string]: unknown;
}

/** A program that is kept running. */
export interface Supervised {
  readonly name: string;
  /** Of the current process; undefined while there is none. */
  readonly pid: number | undefined;
  /** How often it was started again. */
  readonly restarts: number;
  /** What the current process said when it was up. While none is up, waits for the next one. */
  whenReady(): Promise<ReadyMessage>;
  /** Signals the current process. If it ends, the supervisor starts another. False when there is none. */
  kill(signal: NodeJS.Signals): boolean;
  /** Ends the process in order and replaces it by a new one; resolves when that is up. */
  restart(): Promise<ReadyMessage>;
  /** Ends it in order (SIGTERM, after the grace SIGKILL) and for good. */
  stop(): Promise<void>;
  /** Ends it at once and for good, without waiting. */
  abandon(): void;
}

export interface SuperviseOptions extends ProgramOptions {
  readonly onProgress: OnProgress;
  readonly graceMs?: number;
  /** A program that ran this long, in ms, counts as healthy and is started again at once. */
  readonly healthyAfterMs?: number;
}

/** How long a program may take to end in order: longer than a worker waits for its running calls. */
const graceMs = 15_000;
const firstDelayMs = 250;
const longestDelayMs = 10_000;
const healthyAfterMs = 5_000;

/**
 * Starts a program, and starts it again when it ends unasked: a healthy one at once, one that ends soon after each start
 * with growing pauses. Resolves when it is up for the first time; throws, with the end of its log, when it ends before.
 */
export async function supervise(options: SuperviseOptions): Promise<Supervised> {
  const supervisor = new Supervisor(options);
  await supervisor.begin();
  return supervisor;
}

class Supervisor implements Supervised {
  readonly name: string;
  restarts = 0;
  private readonly options: SuperviseOptions;
  private child: ChildProcess | undefined;
  private ended: Promise<unknown> = Promise.resolve();
  private ready = newPromise<ReadyMessage>();
  private isUp = false;
  private readonly stopping = new AbortController();
  private failuresInARow = 0;
  private isReplacing = false;

  constructor(options: SuperviseOptions) {
    this.options = options;
    this.name = options.name;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  async begin(): Promise<void> {
    const { ended, readLog } = this.spawn();
    const end = await Promise.race([this.ready.promise.then(() => undefined), ended]);
    if (end !== undefined) {
      this.stopping.abort();
      const { name, logFile } = this.options;
      throw new Error(`The ${name} does not start (${String(end)}); its log is ${logFile}:\n${readLog()}`);
    }
    void this.keepRunning(ended);
  }

  whenReady(): Promise<ReadyMessage> {
    return this.ready.promise;
  }

  kill(signal: NodeJS.Signals): boolean {
    // From now on, callers of `whenReady` wait for the next process.
    if (signal === 'SIGKILL') this.forgetReady();
    return this.child?.kill(signal) ?? false;
  }

  async restart(): Promise<ReadyMessage> {
    this.isReplacing = true;
    await this.end();
    return this.whenReady();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.end();
    this.ready.reject(new Error(`The ${this.name} was stopped.`));
  }

  abandon(): void {
    this.stopping.abort();
    this.child?.kill('SIGKILL');
  }

  private async end(): Promise<void> {
    const { child } = this;
    if (child === undefined) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), this.options.graceMs ?? graceMs);
    await this.ended;
    clearTimeout(timer);
  }

  private async keepRunning(first: Promise<unknown>): Promise<void> {
    let ended = first;
    let startedAt = Date.now();
    for (;;) {
      const end = await ended;
      if (this.isStopping()) return;
      await this.pause(end, Date.now() - startedAt);
      if (this.isStopping()) return;
      startedAt = Date.now();
      this.restarts += 1;
      ended = this.spawnAgain();
    }
  }

  private async pause(end: unknown, livedMs: number): Promise<void> {
    if (this.isReplacing) {
      this.isReplacing = false;
      return;
    }
    const wasHealthy = livedMs > (this.options.healthyAfterMs ?? healthyAfterMs);
    this.failuresInARow = wasHealthy ? 0 : this.failuresInARow + 1;
    const again = `The ${this.name} ended (${String(end)}): starting it again`;
    if (wasHealthy) {
      this.options.onProgress(again);
      return;
    }
    const pauseMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (this.failuresInARow - 1));
    this.options.onProgress(`${again} in ${pauseMs} ms`);
    await delay(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  /** Callers that wait already go on waiting, for the next process. */
  private forgetReady(): void {
    if (!this.isUp) return;
    this.isUp = false;
    this.ready = newPromise();
  }

  /** A method, because the value changes while others wait. */
  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** A program that can't even be spawned, for example because its log can't be opened, is tried again as if it had ended. */
  private spawnAgain(): Promise<unknown> {
    try {
      return this.spawn().ended;
    } catch (error) {
      return Promise.resolve(error);
    }
  }

  private spawn(): { ended: Promise<number | string | Error>; readLog: () => string } {
    const { child, readLog } = spawnProgram(this.options);
    this.child = child;
    child.on('message', (message) => {
      if (!isReadyMessage(message) || child.signalCode !== null) return;
      this.isUp = true;
      this.ready.resolve(message);
    });
    const ended = endOf(child).then((end) => {
      this.child = undefined;
      this.forgetReady();
      return end;
    });
    this.ended = ended;
    return { ended, readLog };
  }
}

function isReadyMessage(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && 'ready' in message && message.ready === true;
}

interface Settleable<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function newPromise<T>(): Settleable<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((accept, refuse) => {
    resolve = accept;
    reject = refuse;
  });
  // Nobody may be waiting when it rejects: without this, that would end the process.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
