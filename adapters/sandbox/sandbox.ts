import type { ChildProcess } from 'node:child_process';
import type { Limits } from './limits.js';

/** How a program is isolated. docs/tools.md says what each promises. */
export type Isolation = 'bubblewrap' | 'process';

/** The wanted isolation. `auto`: the best available; `strict`: bubblewrap only. */
export type SandboxMode = 'auto' | 'strict' | 'process';

/** An untrusted command. */
export interface SandboxedCommand {
  readonly command: readonly [string, ...string[]];
  /** Files and directories that it may read, at the same paths. */
  readonly readable: readonly string[];
  /** A unix socket that it may connect to. Within bubblewrap it is at `innerSocket`. */
  readonly socket?: string | undefined;
}

/** A program to run to its end. */
export interface SandboxedProgram extends SandboxedCommand {
  /** What it reads from its standard input. */
  readonly input: string;
  readonly timeoutMs: number;
  /** Stops it. `run` then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The limit that a program exceeded. */
export type Excess = 'time' | 'memory' | 'output' | 'files';

/** How a program ended and what it wrote: to its standard streams, up to a limit, and to file descriptor 3. */
export interface ProgramEnd {
  readonly answer: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  /** Why it was stopped; undefined: it ended by itself. */
  readonly excess?: Excess | undefined;
}

/** Runs programs isolated and within limits. Nothing of a program is left after `run`. */
export interface Sandbox {
  readonly isolation: Isolation;
  /** Who limits memory: the kernel, by a control group; or this process, which watches resident memory. */
  readonly memory: 'counted' | 'watched';
  readonly limits: Limits;
  /** Throws the signal's reason when aborted, and SandboxError where the program can't be started. */
  run(program: SandboxedProgram): Promise<ProgramEnd>;
  /** Starts a program that the caller reads from and ends. */
  start(program: SandboxedCommand): StartedProgram;
}

/** A program that was started. */
export interface StartedProgram {
  /** Leads its own process group. */
  readonly child: ChildProcess;
  /** Whether it exceeded its memory limit, if the kernel counts. */
  wasExceeded(): boolean;
  /** Removes what was created for it. Call it after the program's end. */
  end(): void;
}

/** Starts programs with one kind of isolation. */
export interface Launcher {
  readonly isolation: Isolation;
  /** Prepares one start. */
  launch(program: SandboxedCommand, limits: Limits): Launch;
}

/** Descriptors that launchers read. 3 is the program's answer, 5 its guard's. */
export type ExtraDescriptor = 4 | 6;

/** One start of a program. */
export interface Launch {
  readonly command: readonly [string, ...string[]];
  readonly directory: string;
  /** What the launcher reads from file descriptors, by their numbers. */
  readonly extraInputs: Readonly<Partial<Record<ExtraDescriptor, string | Buffer>>>;
  /** Whether all places that it may write to are in memory and its own. */
  readonly hasOwnFiles: boolean;
  /** Removes what was created for it. */
  end(): void;
}

/** No program can run here with the required isolation. The message says what to do. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}
