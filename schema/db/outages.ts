import { types } from 'node:util';

/** SQLSTATE classes of an unavailable server: connection lost, out of resources, shutting down or starting. */
const away = /^(08|53|57P)/;
const broken = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
/**
 * Messages of pg without a code: a connection ended, a statement on an ended connection, no connection from the pool
 * in time.
 */
const said =
  /connection terminated|is not queryable|timeout exceeded when trying to connect|^timeout expired$/i;
/** SQLSTATEs of time limits: for a lock, a statement, an idle transaction. */
const late = new Set(['55P03', '57014', '25P03']);

/**
 * Whether the error means that the database is unavailable for now, or did not answer in time, rather than that a
 * query is wrong.
 */
export function isOutage(error: unknown): boolean {
  // Socket errors are Node's own. In tests they are not instances of the test's `Error`.
  if (!types.isNativeError(error)) return false;
  const code = codeOf(error);
  return away.test(code) || late.has(code) || broken.test(code) || said.test(error.message);
}

/** Whether the error means that the database is available but did not answer in time. */
export function isLate(error: unknown): boolean {
  return types.isNativeError(error) && late.has(codeOf(error));
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
