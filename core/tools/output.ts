import { codePoints } from '../blocks/operations.js';

/** A tool's output up to its limit. What is cut off is told with both figures, in the words of Letta's servers. */
export function limitOutput(output: string, limit: number): string {
  const size = codePoints(output);
  if (size <= limit) return output;
  const kept = Array.from(output).slice(0, limit).join('');
  return `${kept}... [NOTE: function output was truncated since it exceeded the character limit (${size} > ${limit})]`;
}
