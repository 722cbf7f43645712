import { copyFileSync, readFileSync, statSync, truncateSync } from 'node:fs';
import type { OnProgress } from './progress.js';

const longestBytes = 20 * 1_048_576;
const lookEveryMs = 10_000;

/**
 * Rotates a log beyond 20 MiB: its content moves to `<log>.1`, replacing what was there. Writers continue in the same
 * file, now empty; they must have opened it for appending. A line that is written at that moment may be lost.
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

/** Rotates the logs whenever they are too long, until the returned function is called. Reports failures. */
export function keepLogsShort({ logFiles, onProgress, everyMs }: KeepLogsOptions): () => void {
  const timer = setInterval(() => {
    for (const logFile of logFiles) {
      try {
        setLongLogAside(logFile);
      } catch (error) {
        // A full disk is no reason to end what runs on it; the next look tries again.
        onProgress(`${logFile} is too long and could not be rotated: ${(error as Error).message}`);
      }
    }
  }, everyMs ?? lookEveryMs);
  return () => {
    clearInterval(timer);
  };
}

/** What was written after the log's first `bytes` bytes; the whole log where it was rotated meanwhile. */
export function readSince(logFile: string, bytes: number): string {
  const log = readFileSync(logFile);
  return log
    .subarray(log.length < bytes ? 0 : bytes)
    .toString()
    .trim();
}
