import { types } from 'node:util';

/** SQLSTATE classes of a server that is away: connection lost, out of resources, stopping or starting. */
const away = /^(08|53|57P)/;
const broken = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
/** What pg says without a code: of a connection that ended, of a statement begun on one, of a pool that got none. */
const said =
  /connection terminated|is not queryable|timeout exceeded when trying to connect|^timeout expired$/i;
/** SQLSTATEs of what took too long: a lock, a statement, a transaction that stood still. */
const late = new Set(['55P03', '57014', '25P03']);

/** Whether an error says that the database is away for now, as in a restart, or did not get to it in time, rather than that a query was wrong. */
export function isOutage(error: unknown): boolean {
  // Errors of sockets are Node's own, which are no instance of a test's `Error`.
  if (!types.isNativeError(error)) return false;
  const code = codeOf(error);
  return away.test(code) || late.has(code) || broken.test(code) || said.test(error.message);
}

/** Whether an error says that the database is there, and others kept it from answering in time. */
export function isLate(error: unknown): boolean {
  return types.isNativeError(error) && late.has(codeOf(error));
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
