import { findActivityTarget } from '../../schema/tools/activity-tools.js';
import { findMcpTarget } from '../../schema/tools/mcp-tools.js';
import { VaultError } from '../../schema/db/vault.js';
import type { ActivityDeps } from '../deps.js';
import { callActivity } from './activity-tool.js';
import { customTool } from './custom.js';
import { callMcpTool } from './mcp.js';
import { type OutsideTool, refused, type ToolOutcome } from './outcome.js';

/** Runs any tool that isn't built in. The tool's row decides how. */
export function externalTool(deps: ActivityDeps): OutsideTool {
  const custom = customTool(deps);
  return {
    kind: 'outside',
    async run(context) {
      try {
        const outcome = await callOutside(deps, context);
        return outcome === undefined ? await custom.run(context) : () => Promise.resolve(outcome);
      } catch (error) {
        if (!(error instanceof VaultError)) throw error;
        const outcome = refused(`Its secrets can't be read here, so it was not run. ${error.message}`);
        return () => Promise.resolve(outcome);
      }
    },
  };
}

/** Calls a tool that runs on another machine; undefined for other tools. */
async function callOutside(
  deps: ActivityDeps,
  context: Parameters<OutsideTool['run']>[0],
): Promise<ToolOutcome | undefined> {
  const { agent, effect } = context;
  const server = await findMcpTarget(deps.db, agent.id, effect.call.name);
  if (server !== undefined) return callMcpTool(deps, server, context);
  const activity = await findActivityTarget(deps.db, agent.id, effect.call.name);
  return activity === undefined ? undefined : callActivity(deps, activity, context);
}
