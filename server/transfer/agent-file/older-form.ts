import { z } from 'zod';
import { freeObject } from '../../http/fields-wire.js';
import type { FileMessage } from './message-reading.js';

const message = z.looseObject({ created_at: z.string().nullish(), in_context: z.boolean().nullish() });

/**
 * An agent file in Letta's older form: one agent with everything that belongs to it. Members that the newer form has too
 * are checked there.
 */
export const olderDocument = z.looseObject({
  agent_type: z.string(),
  name: z.string(),
  core_memory: z.array(z.looseObject({ metadata_: freeObject.nullish() })),
  messages: z.array(message).default([]),
  in_context_message_indices: z.array(z.int().min(0)).nullish(),
  tools: z.array(freeObject).default([]),
  tool_rules: z.array(freeObject).default([]),
  tool_exec_environment_variables: z
    .array(z.looseObject({ key: z.string(), value: z.string().nullish() }))
    .default([]),
  tags: z.array(z.union([z.string(), z.looseObject({ tag: z.string() })])).default([]),
  metadata_: freeObject.nullish(),
});

export type OlderDocument = z.infer<typeof olderDocument>;

/** Whether this looks like an agent file in the older form. */
export function looksOlder(json: object): boolean {
  return !('agents' in json) && 'agent_type' in json && 'core_memory' in json;
}

/** The same agent in the newer form; not checked yet. */
export function toNewerForm(older: OlderDocument): Record<string, unknown> {
  const { core_memory: blocks, tools, messages, tool_rules: rules, ...agent } = older;
  const named = <T extends object>(kind: string, items: readonly T[]) =>
    items.map((item, index) => ({ ...item, id: `${kind}-${index}` }));
  const transcript = inOrder(named('message', messages), older.in_context_message_indices ?? undefined);
  return {
    agents: [
      {
        ...agent,
        ...{ id: 'agent-0', metadata: older.metadata_ ?? {}, tool_ids: idsOf(named('tool', tools)) },
        block_ids: idsOf(named('block', blocks)),
        tool_rules: rules.map(toNewerRule),
        tags: older.tags.map((tag) => (typeof tag === 'string' ? tag : tag.tag)),
        tool_exec_environment_variables: Object.fromEntries(
          older.tool_exec_environment_variables.map(({ key, value }) => [key, value ?? '']),
        ),
        ...transcript,
      },
    ],
    blocks: named('block', blocks).map((block) => ({ ...block, metadata: block.metadata_ ?? {} })),
    tools: named('tool', tools),
  };
}

function idsOf(items: readonly { readonly id: string }[]): readonly string[] {
  return items.map((item) => item.id);
}

type Numbered = z.infer<typeof message> & { readonly id: string };

/** The oldest files have unordered messages with a mark on those in context; later ones have indices of those in context. */
function inOrder(messages: readonly Numbered[], indices: readonly number[] | undefined) {
  const sorted = indices === undefined ? [...messages].sort(byTime) : messages;
  const inContext =
    indices === undefined
      ? sorted.filter((one) => one.in_context === true).map((one) => one.id)
      : indices.flatMap((index) => messages[index]?.id ?? []);
  return {
    messages: sorted satisfies readonly Partial<Record<keyof FileMessage, unknown>>[],
    in_context_message_ids: inContext,
  };
}

function byTime(a: Numbered, b: Numbered): number {
  return Date.parse(a.created_at ?? '') - Date.parse(b.created_at ?? '') || 0;
}

const newerTypes: Readonly<Record<string, string>> = {
  InitToolRule: 'run_first',
  TerminalToolRule: 'exit_loop',
  ContinueToolRule: 'continue_loop',
  ToolRule: 'constrain_child_tools',
  ConditionalToolRule: 'conditional',
  MaxCountPerStepToolRule: 'max_count_per_step',
};

function toNewerRule(rule: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { type } = rule;
  return typeof type === 'string' ? { ...rule, type: newerTypes[type] ?? type } : { ...rule };
}
