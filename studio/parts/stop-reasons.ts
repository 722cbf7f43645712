const words: Readonly<Record<string, string>> = {
  end_turn: 'done',
  tool_rule: 'done, by a tool rule',
  max_steps: 'out of steps',
  requires_approval: 'waits for a yes',
  llm_api_error: 'the model failed',
  invalid_llm_response: 'the model’s answer was unusable',
  invalid_tool_call: 'a call was unusable',
  no_tool_call: 'the model called no tool',
  max_tokens_exceeded: 'out of tokens',
  context_window_overflow_in_system_prompt: 'the prompt is too large',
  created: 'waits',
};

/** How a turn stands or why it ended, as people say it. */
export function inWords(reason: string): string {
  return words[reason] ?? reason.replaceAll('_', ' ');
}
