import type { ToolRule } from '../agents/tool-rules.js';

/** The tool by which the manager of a supervisor group asks its agents. */
export const broadcastTool = 'send_message_to_all_agents_in_group';

/**
 * The tool rules of an agent for a turn in which it leads a group: it must ask the group first, then go on to answer.
 */
export function supervisingRules(rules: readonly ToolRule[]): readonly ToolRule[] {
  return [
    ...rules.filter((rule) => rule.kind !== 'run_first' && rule.tool !== broadcastTool),
    { kind: 'run_first', tool: broadcastTool },
    { kind: 'continue_loop', tool: broadcastTool },
  ];
}
