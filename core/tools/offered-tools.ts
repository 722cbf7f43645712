import { type AgentType, loopStyle } from '../agents/agents.js';
import type { ModelSettings, ToolSchema } from '../turns/model.js';
import { terminalTools, type ToolRule } from './rules.js';
import { offeredSchemas } from './tools.js';

/** The tools as an agent's model is offered them, all of them: rules narrow them step by step. */
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
