import type { Limits } from './limits.js';

/** How a program is kept from the rest of the machine; docs/tools.md says what each promises. */
export type Isolation = 'bubblewrap' | 'process';

/** Which isolation is wanted. `auto`: the best there is; `strict`: none but a real one. */
export type SandboxMode = 'auto' | 'strict' | 'process';

/** A program that must not be trusted. */
export interface SandboxedProgram {
  readonly command: readonly [string, ...string[]];
  /** What it reads from its standard input. */
  readonly input: string;
  /** Files and directories that it may read, at the same paths. */
  readonly readable: readonly string[];
  /** A unix socket that it may connect to; within bubblewrap it is at `innerSocket`. */
  readonly socket?: string | undefined;
  readonly timeoutMs: number;
  /** Stops it; `run` then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What a program used too much of. */
export type Excess = 'time' | 'memory' | 'output';

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
  readonly limits: Limits;
  /** Throws the signal's reason where it is aborted, and SandboxError where the program can't be started. */
  run(program: SandboxedProgram): Promise<ProgramEnd>;
}

/** How one kind of isolation starts a program. */
export interface Launcher {
  readonly isolation: Isolation;
  /** Prepares one start. */
  launch(program: SandboxedProgram, limits: Limits): Launch;
}

/** One start of a program. */
export interface Launch {
  readonly command: readonly [string, ...string[]];
  readonly directory: string;
  /** What the program's launcher reads from file descriptor 4. */
  readonly extraInput: string;
  /** Removes what was made for it. */
  end(): void;
}

/** No program can be run here as it must be. The message says what to do. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}
