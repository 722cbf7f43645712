import type { Paint } from './paint.js';
import { toFigure } from './times.js';

/** What the server tells of an agent's context window, in tokens. */
export interface WireContext {
  readonly context_window_size_max: number;
  readonly context_window_size_current: number;
  readonly num_messages: number;
  readonly num_archival_memory: number;
  readonly num_recall_memory: number;
  readonly num_tokens_system: number;
  readonly num_tokens_core_memory: number;
  readonly num_tokens_external_memory_summary: number;
  readonly num_tokens_memory_filesystem: number;
  readonly num_tokens_tool_usage_rules: number;
  readonly num_tokens_directories: number;
  readonly num_tokens_summary_memory: number;
  readonly num_tokens_functions_definitions: number;
  readonly num_tokens_messages: number;
}

const barWidth = 60;

/** The context window as one bar, and a line for each part of it. */
export function renderContext(context: WireContext, paint: Paint): string[] {
  const parts = [
    { title: 'instructions', tokens: context.num_tokens_system, colour: paint.blue },
    { title: 'core memory', tokens: context.num_tokens_core_memory, colour: paint.green },
    { title: 'memory figures', tokens: context.num_tokens_external_memory_summary, colour: paint.cyan },
    {
      title: 'files',
      tokens: context.num_tokens_memory_filesystem + context.num_tokens_directories,
      colour: paint.white,
    },
    { title: 'tool rules', tokens: context.num_tokens_tool_usage_rules, colour: paint.gray },
    { title: 'tools', tokens: context.num_tokens_functions_definitions, colour: paint.yellow },
    { title: 'summary', tokens: context.num_tokens_summary_memory, colour: paint.red },
    { title: 'messages', tokens: context.num_tokens_messages, colour: paint.magenta },
  ].filter(({ tokens }) => tokens > 0);
  const most = context.context_window_size_max;
  const used = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const free = Math.max(0, most - used);
  let drawn = 0;
  let told = 0;
  const bar = parts.map(({ tokens, colour }) => {
    told += tokens;
    const end = Math.min(barWidth, Math.round((told / most) * barWidth));
    const width = end - drawn;
    drawn = end;
    return colour('█'.repeat(width));
  });
  const rows = [...parts, { title: 'free', tokens: free, colour: paint.dim }];
  return [
    `${bar.join('')}${paint.dim('░'.repeat(barWidth - drawn))}  ${toFigure(used)} of ${toFigure(most)} tokens`,
    ...rows.map(
      ({ title, tokens, colour }) => `${colour('█')} ${title.padEnd(16)}${toFigure(tokens).padStart(8)}`,
    ),
    paint.dim(
      `${toFigure(context.num_messages)} messages in context, ${toFigure(context.num_recall_memory)} in recall, ` +
        `${toFigure(context.num_archival_memory)} passages in archival memory`,
    ),
  ];
}
