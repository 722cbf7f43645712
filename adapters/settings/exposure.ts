/** Whether anyone who can reach the server from another machine may use it. */
export function isExposed({
  host,
  password,
}: {
  readonly host: string;
  readonly password?: string | undefined;
}): boolean {
  return password === undefined && !/^(127\.|localhost$|::1$)/.test(host);
}
