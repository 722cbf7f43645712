/** The text of a message's content, whatever its form. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as { text?: string }[])
    .flatMap(({ text }) => (text === undefined ? [] : [text]))
    .join('\n');
}
