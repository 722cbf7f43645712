/** Expands tabs to the next multiple of eight columns, because models often confuse tabs and spaces. */
export function expandTabs(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      line.split('\t').reduce((done, part) => `${done}${' '.repeat(8 - (done.length % 8))}${part}`),
    )
    .join('\n');
}
