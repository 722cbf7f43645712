import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What became of a search by a regular expression. `too_slow`: it was given up; `invalid`: it is none. */
export type GrepOutcome<Text> =
  | { readonly kind: 'found'; readonly matches: readonly GrepMatch<Text>[]; readonly complete: boolean }
  | { readonly kind: 'too_slow' }
  | { readonly kind: 'invalid'; readonly reason: string };

export interface GrepMatch<Text> {
  readonly text: Text;
  /** 0-based. */
  readonly line: number;
}

/** A text to be searched. */
interface Lines {
  readonly lines: readonly string[];
}

/** Longer lines are matched in part: nobody writes them, and they cost most. */
const longestLine = 10_000;

/**
 * Lines that a regular expression matches, whatever their case, in the order of the texts. It is matched in a thread
 * that is ended after `timeoutMs`: a model can write one that takes years. `complete` is false where there are more
 * than `limit`.
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
  // Once for all texts: it may be ended between two of them.
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

/** Indexes of the lines that match. */
async function matchIn(thread: Worker, lines: readonly string[]): Promise<readonly number[]> {
  const answer = once(thread, 'message') as Promise<[readonly number[]]>;
  thread.postMessage({ lines: lines.map((line) => line.slice(0, longestLine)) });
  return (await answer)[0];
}
