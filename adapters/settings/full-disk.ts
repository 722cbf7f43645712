/** Errors of the file system for a full disk or quota. */
const ofFiles = new Set(['ENOSPC', 'EDQUOT']);
/** SQLSTATE `disk_full`. */
const ofDatabase = '53100';

/** Whether the error means that a disk is full: ours, or the database's. */
export function isDiskFull(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return ofFiles.has(String(error.code)) || error.code === ofDatabase;
}
