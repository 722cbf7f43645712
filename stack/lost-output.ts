/** From now on, output that can't be written (full disk, closed terminal) is lost instead of ending the process. */
export function outliveLostOutput(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
}
