/** Tabs as spaces up to the next multiple of eight columns: models often write one for the other. */
export function expandTabs(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      line.split('\t').reduce((done, part) => `${done}${' '.repeat(8 - (done.length % 8))}${part}`),
    )
    .join('\n');
}
