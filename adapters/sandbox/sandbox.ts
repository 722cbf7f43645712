import type { ChildProcess } from 'node:child_process';
import type { Limits } from './limits.js';

/** How a program is kept from the rest of the machine; docs/tools.md says what each promises. */
export type Isolation = 'bubblewrap' | 'process';

/** Which isolation is wanted. `auto`: the best there is; `strict`: none but a real one. */
export type SandboxMode = 'auto' | 'strict' | 'process';

/** A command that must not be trusted. */
export interface SandboxedCommand {
  readonly command: readonly [string, ...string[]];
  /** Files and directories that it may read, at the same paths. */
  readonly readable: readonly string[];
  /** A unix socket that it may connect to; within bubblewrap it is at `innerSocket`. */
  readonly socket?: string | undefined;
}

/** A program that is run to its end. */
export interface SandboxedProgram extends SandboxedCommand {
  /** What it reads from its standard input. */
  readonly input: string;
  readonly timeoutMs: number;
  /** Stops it; `run` then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What a program used too much of. */
export type Excess = 'time' | 'memory' | 'output' | 'files';

/** How a program ended, and what it wrote: to its standard streams, cut to a limit, and to file descriptor 3. */
export interface ProgramEnd {
  readonly answer: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  /** Why it was stopped; undefined where it ended by itself. */
  readonly excess?: Excess | undefined;
}

/** Runs programs apart from the machine, within limits. Nothing of a program is left when `run` has returned. */
export interface Sandbox {
  readonly isolation: Isolation;
  /** Who bounds memory: the kernel, by a control group; or this process, which looks at what is resident. */
  readonly memory: 'counted' | 'watched';
  readonly limits: Limits;
  /** Throws the signal's reason where it is aborted, and SandboxError where the program can't be started. */
  run(program: SandboxedProgram): Promise<ProgramEnd>;
  /** Starts a program whose streams the caller reads, and which the caller ends. */
  start(program: SandboxedCommand): StartedProgram;
}

/** A program that was started. */
export interface StartedProgram {
  /** Leads a process group of its own. */
  readonly child: ChildProcess;
  /** Whether it has got more memory than the limits say, where the kernel counts it. */
  wasExceeded(): boolean;
  /** Removes what was made for it. To be called when it has ended. */
  end(): void;
}

/** How one kind of isolation starts a program. */
export interface Launcher {
  readonly isolation: Isolation;
  /** Prepares one start. */
  launch(program: SandboxedCommand, limits: Limits): Launch;
}

/** Descriptors that launchers read from; 3 is the program's answer, 5 its guard's. */
export type ExtraDescriptor = 4 | 6;

/** One start of a program. */
export interface Launch {
  readonly command: readonly [string, ...string[]];
  readonly directory: string;
  /** What the program's launcher reads from file descriptors, by their numbers. */
  readonly extraInputs: Readonly<Partial<Record<ExtraDescriptor, string | Buffer>>>;
  /** Whether all that it may write to is in memory and its own. */
  readonly hasOwnFiles: boolean;
  /** Removes what was made for it. */
  end(): void;
}

/** No program can be run here as it must be. The message says what to do. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}
