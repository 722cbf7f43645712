/** Why a turn ended, in Letta's words. */
export const stopReasons = [
  'end_turn',
  'max_steps',
  'tool_rule',
  'requires_approval',
  'cancelled',
  'error',
  'llm_api_error',
  'invalid_llm_response',
  'invalid_tool_call',
  'no_tool_call',
  'max_tokens_exceeded',
  'context_window_overflow_in_system_prompt',
] as const;

/** Why a turn ended. */
export type StopReason = (typeof stopReasons)[number];

/** States of a turn. `created`: it waits in the queue. The last three are final. */
export type TurnState = 'created' | 'running' | 'completed' | 'failed' | 'cancelled';

/** The final state of a turn with this stop reason. */
export function finalState(reason: StopReason): 'completed' | 'failed' | 'cancelled' {
  switch (reason) {
    case 'end_turn':
    case 'max_steps':
    case 'tool_rule':
    case 'requires_approval':
      return 'completed';
    case 'cancelled':
      return 'cancelled';
    default:
      return 'failed';
  }
}
