import type { ToolRule } from '../tools/rules.js';

/** The tool by which the manager of a supervisor group asks its agents. */
export const broadcastTool = 'send_message_to_all_agents_in_group';

/**
 * The rules of an agent that leads a group, for the turn in which it does: it asks the group before anything else, and
 * then goes on to answer.
 */
export function supervisingRules(rules: readonly ToolRule[]): readonly ToolRule[] {
  return [
    ...rules.filter((rule) => rule.kind !== 'run_first' && rule.tool !== broadcastTool),
    { kind: 'run_first', tool: broadcastTool },
    { kind: 'continue_loop', tool: broadcastTool },
  ];
}
