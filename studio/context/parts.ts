import type { ContextOverview } from '../api/types.js';

/** A part of the context window, with its tokens and, where it is text, what it says. */
export interface ContextPart {
  readonly name: string;
  readonly tokens: number;
  readonly text: string | undefined;
}

/** The parts of a context in the order of the request, and what is free at the end. Parts of no tokens are left out. */
export function toParts(context: ContextOverview): ContextPart[] {
  const parts: ContextPart[] = [
    { name: 'Instructions', tokens: context.num_tokens_system, text: context.system_prompt },
    { name: 'Core memory', tokens: context.num_tokens_core_memory, text: context.core_memory },
    {
      name: 'Memory counts',
      tokens: context.num_tokens_external_memory_summary,
      text: context.external_memory_summary,
    },
    {
      name: 'Tool rules',
      tokens: context.num_tokens_tool_usage_rules,
      text: context.tool_usage_rules ?? undefined,
    },
    { name: 'Open files', tokens: context.num_tokens_directories, text: context.directories ?? undefined },
    { name: 'Summary', tokens: context.num_tokens_summary_memory, text: context.summary_memory ?? undefined },
    {
      name: 'Tools',
      tokens: context.num_tokens_functions_definitions,
      text: JSON.stringify(context.functions_definitions, null, 2),
    },
    { name: 'Messages', tokens: context.num_tokens_messages, text: undefined },
  ];
  return parts.filter(({ tokens }) => tokens > 0);
}

/** What of the window is free, in tokens. */
export function freeTokens(context: ContextOverview): number {
  return Math.max(0, context.context_window_size_max - context.context_window_size_current);
}
