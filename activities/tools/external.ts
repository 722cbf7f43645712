import { findMcpTarget } from '../../schema/mcp-tools.js';
import type { ActivityDeps } from '../deps.js';
import { customTool } from './custom.js';
import { callMcpTool } from './mcp.js';
import type { OutsideTool } from './outcome.js';

/** Every tool that the runtime does not bring along: what its row says of it decides how it is run. */
export function externalTool(deps: ActivityDeps): OutsideTool {
  const custom = customTool(deps);
  return {
    kind: 'outside',
    async run(context) {
      const { agent, effect } = context;
      const target = await findMcpTarget(deps.db, agent.id, effect.call.name);
      if (target === undefined) return custom.run(context);
      const outcome = await callMcpTool(deps, target, context);
      return () => Promise.resolve(outcome);
    },
  };
}
