import { McpError } from '../../adapters/mcp/mcp-server.js';
import { openMcpConfig } from '../../schema/tools/mcp-secrets.js';
import type { McpTarget } from '../../schema/tools/mcp-tools.js';
import type { Effect } from '../../schema/turns/records.js';
import type { ActivityDeps } from '../deps.js';
import { done, type OutsideTool, refused, type ToolOutcome } from './outcome.js';

type OutsideCall = Parameters<OutsideTool['run']>[0];

/**
 * Calls a tool of an MCP server. After a crash its effect on the world is unknown, so it is not called again. If the
 * server fails, the model is told.
 */
export async function callMcpTool(
  { mcp, vault }: Pick<ActivityDeps, 'mcp' | 'vault'>,
  target: McpTarget,
  { effect, start, signal }: OutsideCall,
): Promise<ToolOutcome> {
  if ((await start()) === 'started') return unknownOutcome(effect);
  try {
    const call = { tool: target.tool, arguments: effect.arguments };
    const answer = await mcp.callTool(openMcpConfig(vault, target), call, { signal });
    return answer.ok ? done(answer.text) : refused(answer.text);
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return refused(error.kind === 'unreachable' ? error.message : `${error.message} ${doubt}`);
  }
}

const doubt = 'Whether the call took effect is unknown.';

function unknownOutcome(effect: Effect): ToolOutcome {
  return refused(
    `${effect.call.name} was called, but the process that called it died. ${doubt} Check before you call it again.`,
  );
}
