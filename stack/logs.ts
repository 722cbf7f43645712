import { copyFileSync, readFileSync, statSync, truncateSync } from 'node:fs';
import type { OnProgress } from './progress.js';

const longestBytes = 20 * 1_048_576;
const lookEveryMs = 10_000;

/**
 * Keeps a log from growing for ever: beyond 20 MiB it is moved to `<log>.1`, over what was there. Its writers go on
 * in the same file, now empty; they must have opened it for appending. A line that one writes at that very moment may
 * be lost.
 */
export function setLongLogAside(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= longestBytes) return;
  copyFileSync(logFile, `${logFile}.1`);
  truncateSync(logFile);
}

/** Which logs to keep short. */
export interface KeepLogsOptions {
  readonly logFiles: readonly string[];
  readonly onProgress: OnProgress;
  readonly everyMs?: number;
}

/** Sets the logs aside whenever they are too long, until what it returns is called. Says which one it couldn't. */
export function keepLogsShort({ logFiles, onProgress, everyMs }: KeepLogsOptions): () => void {
  const timer = setInterval(() => {
    for (const logFile of logFiles) {
      try {
        setLongLogAside(logFile);
      } catch (error) {
        // A full disk is no reason to end what runs on it; the next look tries again.
        onProgress(`${logFile} is too long and cannot be set aside: ${(error as Error).message}`);
      }
    }
  }, everyMs ?? lookEveryMs);
  return () => {
    clearInterval(timer);
  };
}

/** What was written since the log had that many bytes; all that is in there where it was set aside meanwhile. */
export function readSince(logFile: string, bytes: number): string {
  const log = readFileSync(logFile);
  return log
    .subarray(log.length < bytes ? 0 : bytes)
    .toString()
    .trim();
}
