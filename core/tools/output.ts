import { codePoints } from '../blocks/operations.js';

/** Cuts a tool's output to its limit, and adds Letta's note with both figures. */
export function limitOutput(output: string, limit: number): string {
  const size = codePoints(output);
  if (size <= limit) return output;
  const kept = Array.from(output).slice(0, limit).join('');
  return `${kept}... [NOTE: function output was truncated since it exceeded the character limit (${size} > ${limit})]`;
}
