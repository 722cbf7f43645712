/** SQLSTATE classes of a server that is away: connection lost, out of resources, stopping or starting. */
const away = /^(08|53|57P)/;
const broken = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND)$/;

/** Whether an error says that the database is away for now, as in a restart, rather than that a query was wrong. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return away.test(code) || broken.test(code) || /connection terminated/i.test(error.message);
}
