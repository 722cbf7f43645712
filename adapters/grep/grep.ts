import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * The outcome of a search by a regular expression. `too_slow`: it was stopped. `invalid`: it is not a regular
 * expression.
 */
export type GrepOutcome<Text> =
  | { readonly kind: 'found'; readonly matches: readonly GrepMatch<Text>[]; readonly complete: boolean }
  | { readonly kind: 'too_slow' }
  | { readonly kind: 'invalid'; readonly reason: string };

export interface GrepMatch<Text> {
  readonly text: Text;
  /** From 0. */
  readonly line: number;
}

/** A text to search. */
interface Lines {
  readonly lines: readonly string[];
}

/** Longer lines are only matched up to here: they are data, and cost most. */
const longestLine = 10_000;

/**
 * Finds the lines that match a regular expression, case-insensitively, in the order of the texts. Matching runs in a
 * thread that is ended after `timeoutMs`, because a model can write an expression that takes years. `complete` is
 * false where there are more than `limit` matches.
 */
export async function grep<Text extends Lines>(
  pattern: string,
  texts: AsyncIterable<Text>,
  { timeoutMs, limit }: { readonly timeoutMs: number; readonly limit: number },
): Promise<GrepOutcome<Text>> {
  try {
    new RegExp(pattern, 'i');
  } catch (error) {
    return { kind: 'invalid', reason: error instanceof Error ? error.message : String(error) };
  }
  const thread = new Worker(new URL('grep-thread.mjs', import.meta.url), {
    workerData: { pattern },
    execArgv: [],
  });
  const deadline = setTimeout(() => void thread.terminate(), timeoutMs);
  // One listener for all texts: the thread may end between two of them.
  const over = once(thread, 'exit').then(() => undefined);
  try {
    const matches: GrepMatch<Text>[] = [];
    for await (const text of texts) {
      const found = await Promise.race([matchIn(thread, text.lines), over]);
      if (found === undefined) return { kind: 'too_slow' };
      matches.push(...found.map((line) => ({ text, line })));
      if (matches.length > limit) return { kind: 'found', matches: matches.slice(0, limit), complete: false };
    }
    return { kind: 'found', matches, complete: true };
  } finally {
    clearTimeout(deadline);
    await thread.terminate();
  }
}

/** Indexes of matching lines. */
async function matchIn(thread: Worker, lines: readonly string[]): Promise<readonly number[]> {
  const answer = once(thread, 'message') as Promise<[readonly number[]]>;
  thread.postMessage({ lines: lines.map((line) => line.slice(0, longestLine)) });
  return (await answer)[0];
}
