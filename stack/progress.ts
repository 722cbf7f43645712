/** Reports progress in one line for people. */
export type OnProgress = (line: string) => void;

const firstAfterMs = 1_000;
const againEveryMs = 15_000;

/**
 * Awaits the work. Reports `what` after one second and then every 15 s; a function is called each time.
 */
export async function showProgress<T>(
  onProgress: OnProgress,
  what: string | (() => string),
  work: Promise<T>,
): Promise<T> {
  const startedAt = Date.now();
  let timer = setTimeout(function say() {
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    const now = typeof what === 'string' ? what : what();
    onProgress(seconds < 2 ? `${now} …` : `${now} … ${seconds} s`);
    timer = setTimeout(say, againEveryMs);
  }, firstAfterMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
