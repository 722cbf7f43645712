import { type AgentType, loopStyle } from '../agents/agents.js';
import type { ModelRequest, ModelSettings, ToolSchema } from '../models/model.js';
import { allowedTools, type PastCall, terminalTools, type ToolRule } from '../agents/tool-rules.js';
import { offeredSchemas, saysItsText } from './tools.js';

/** All tools of the agent as its model sees them. At each step, rules select some of them. */
export function toolsOffered(agent: {
  readonly agentType: AgentType;
  readonly modelSettings: ModelSettings;
  readonly toolRules: readonly ToolRule[];
  readonly tools: readonly { readonly schema: ToolSchema }[];
}): readonly ToolSchema[] {
  const style = loopStyle(agent.agentType);
  return offeredSchemas(
    agent.tools.map((tool) => tool.schema),
    {
      style,
      injectThinking: style === 'tools' && agent.modelSettings.reasoningEffort === undefined,
      terminal: terminalTools(agent.toolRules),
    },
  );
}

/** The tools that the agent's rules allow after these calls, and how the model may use them. */
export function toolsAllowed(
  agent: Parameters<typeof saysItsText>[0],
  offered: readonly ToolSchema[],
  calls: readonly PastCall[],
): Pick<ModelRequest, 'tools' | 'toolChoice'> {
  const names = offered.map((tool) => tool.name);
  const allowed = allowedTools(agent.toolRules, names, calls);
  const tools = offered.filter((tool) => allowed.names.includes(tool.name));
  if (tools.length === 0) return { tools, toolChoice: 'none' };
  const free = saysItsText(agent) ? ('auto' as const) : ('required' as const);
  return { tools, toolChoice: allowed.forced === null ? free : { name: allowed.forced } };
}
