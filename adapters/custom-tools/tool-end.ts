import { redact } from '../../core/tools/redaction.js';
import type { Limits } from '../sandbox/limits.js';
import type { Isolation, ProgramEnd } from '../sandbox/sandbox.js';
import { type RunnerAnswer, runnerAnswer } from './runner-protocol.js';

/** How a run of a tool ended. */
export interface ToolEnd {
  readonly ok: boolean;
  /** What it returned, as text; or the error, in Letta's words. */
  readonly message: string;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  /** Blocks of the agent's state that it changed: the new values by block id. */
  readonly blocks: Readonly<Record<string, string>>;
}

interface Bounds {
  readonly limits: Limits;
  readonly timeoutMs: number;
  readonly isolation: Isolation;
}

/** Errors without a network, in the words of Python and Node. */
const noNetwork =
  /name resolution|name or service not known|network is unreachable|connection refused|ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED/i;

/** The result of a tool's run, from its program's end. */
export function toToolEnd(name: string, end: ProgramEnd, bounds: Bounds): ToolEnd {
  const streams = { stdout: toLines(end.stdout), stderr: toLines(end.stderr) };
  const failed = (error: string): ToolEnd => ({
    ok: false,
    message: `Error executing function ${name}: ${error}`,
    ...streams,
    blocks: {},
  });
  const excess = excessOf(end, bounds);
  if (excess !== undefined) return failed(excess);
  const answer = readAnswer(end.answer);
  if (answer === undefined)
    return failed(`ProcessError: its process ended without a result (${deathOf(end)}).`);
  return answer.ok
    ? { ok: true, message: answer.value, ...streams, blocks: answer.blocks }
    : failed(withReason(answer.error, bounds.isolation));
}

/**
 * Removes secret values from errors and output, which are stored and read by models and people. The tool's return
 * value stays: its author decides what it tells.
 */
export function redactEnd(end: ToolEnd, secrets: Readonly<Record<string, string>>): ToolEnd {
  const each = (lines: readonly string[]) => lines.map((line) => redact(line, secrets));
  return {
    ...end,
    message: end.ok ? end.message : redact(end.message, secrets),
    stdout: each(end.stdout),
    stderr: each(end.stderr),
  };
}

/** Without this, neither the model nor the tool's author could tell the sandbox from an outage. */
function withReason(error: string, isolation: Isolation): string {
  return isolation === 'bubblewrap' && noNetwork.test(error)
    ? `${error} (Tools have no network access except to this server.)`
    : error;
}

function excessOf(end: ProgramEnd, { limits, timeoutMs }: Bounds): string | undefined {
  switch (end.excess) {
    case undefined:
      return undefined;
    case 'time':
      return `TimeoutError: it did not end within ${Math.round(timeoutMs / 1000)} s and was stopped. What it did until then is done.`;
    case 'memory':
      return `MemoryError: it used more than ${megabytes(limits.memoryBytes)} MB of memory and was stopped.`;
    case 'files':
      return `FilesError: it made more than ${limits.files} files and was stopped.`;
    case 'output':
      return `OutputError: it wrote more than ${megabytes(limits.outputBytes)} MB of output and was stopped.`;
  }
}

function readAnswer(text: string): RunnerAnswer | undefined {
  try {
    return runnerAnswer.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function deathOf({ exitCode, exitSignal }: ProgramEnd): string {
  return exitSignal === null ? `exit code ${exitCode ?? 'unknown'}` : exitSignal;
}

function toLines(text: string): readonly string[] {
  return text === '' ? [] : [text];
}

function megabytes(bytes: number): number {
  return Math.round(bytes / (1024 * 1024));
}
