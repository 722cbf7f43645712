/** From now on a line that nobody can take, as of a full disk or a closed terminal, is lost and does not end the process. */
export function outliveLostOutput(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
}
