import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { FastifyBaseLogger } from 'fastify';
import { findProblem } from '../http/problems.js';

type Fields = Readonly<Record<string, unknown>>;

/** A tool's result: its fields for programs, and a text for models that read nothing else. */
export function toResult(fields: Fields, text = JSON.stringify(fields)): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: fields };
}

/** The same for a call that did not do what was asked. */
export function toFailure(text: string, fields?: Fields): CallToolResult {
  const structured = fields === undefined ? {} : { structuredContent: fields };
  return { content: [{ type: 'text', text }], ...structured, isError: true };
}

/** Runs a tool. The caller reads an error in the words of the REST API. An internal error is logged, and its text is hidden. */
export async function replying(
  log: FastifyBaseLogger,
  run: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await run();
  } catch (error) {
    const problem = findProblem(error);
    if (problem === undefined) {
      log.error({ err: error }, 'a tool of the MCP server failed');
      return toFailure('Something went wrong on the server’s side. Its log says what.');
    }
    return toFailure([problem.detail, ...Object.entries(problem.more ?? {}).map(toLine)].join('\n'));
  }
}

function toLine([name, value]: readonly [string, unknown]): string {
  return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}
