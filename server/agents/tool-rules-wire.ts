import { z } from 'zod';
import type { PrefilledArguments, ToolRule } from '../../core/agents/tool-rules.js';

const base = { tool_name: z.string().min(1), prompt_template: z.string().nullish() };
const args = z.record(z.string(), z.unknown());

/** A tool rule in Letta's form, discriminated by `type`. */
export const wireToolRule = z
  .discriminatedUnion('type', [
    z.object({
      ...base,
      type: z.literal('constrain_child_tools'),
      children: z.array(z.string()),
      child_arg_nodes: z.array(z.object({ name: z.string(), args: args.nullish() })).nullish(),
    }),
    z.object({ ...base, type: z.literal('run_first'), args: args.nullish() }),
    z.object({ ...base, type: z.literal('exit_loop') }),
    z.object({
      ...base,
      type: z.literal('conditional'),
      child_output_mapping: z.record(z.string(), z.string()),
      default_child: z.string().nullish(),
      require_output_mapping: z.boolean().nullish(),
    }),
    z.object({ ...base, type: z.literal('continue_loop') }),
    z.object({ ...base, type: z.literal('required_before_exit') }),
    z.object({ ...base, type: z.literal('max_count_per_step'), max_count_limit: z.int().min(1) }),
    z.object({ ...base, type: z.literal('parent_last_tool'), children: z.array(z.string()) }),
    z.object({ ...base, type: z.literal('requires_approval') }),
  ])
  .meta({ id: 'ToolRule' });

export type WireToolRule = z.infer<typeof wireToolRule>;

/** A rule in the runtime's form. */
export function fromWireToolRule(rule: WireToolRule): ToolRule {
  const { prompt_template: promptTemplate } = rule;
  const constraining = toConstraint(rule);
  return promptTemplate == null ? constraining : { ...constraining, promptTemplate };
}

function toConstraint(rule: WireToolRule): ToolRule {
  const tool = rule.tool_name;
  switch (rule.type) {
    case 'constrain_child_tools':
      return {
        kind: rule.type,
        tool,
        children: rule.children,
        ...childArguments(rule.child_arg_nodes ?? []),
      };
    case 'run_first':
      return { kind: rule.type, tool, ...(rule.args == null ? {} : { args: rule.args }) };
    case 'conditional':
      return {
        kind: rule.type,
        tool,
        childByOutput: rule.child_output_mapping,
        defaultChild: rule.default_child ?? null,
        requireMapping: rule.require_output_mapping ?? false,
      };
    case 'max_count_per_step':
      return { kind: rule.type, tool, limit: rule.max_count_limit };
    case 'parent_last_tool':
      return { kind: rule.type, tool, children: rule.children };
    case 'exit_loop':
    case 'continue_loop':
    case 'required_before_exit':
    case 'requires_approval':
      return { kind: rule.type, tool };
  }
}

/** A rule in Letta's form. */
export function toWireToolRule(rule: ToolRule): WireToolRule {
  const base = { tool_name: rule.tool, prompt_template: rule.promptTemplate ?? null };
  switch (rule.kind) {
    case 'constrain_child_tools': {
      const nodes = Object.entries(rule.childArguments ?? {}).map(([name, args]) => ({ name, args }));
      return {
        ...base,
        type: rule.kind,
        children: [...rule.children],
        child_arg_nodes: nodes.length === 0 ? null : nodes,
      };
    }
    case 'run_first':
      return { ...base, type: rule.kind, args: rule.args ?? null };
    case 'conditional':
      return {
        ...base,
        type: rule.kind,
        child_output_mapping: rule.childByOutput,
        default_child: rule.defaultChild,
        require_output_mapping: rule.requireMapping,
      };
    case 'max_count_per_step':
      return { ...base, type: rule.kind, max_count_limit: rule.limit };
    case 'parent_last_tool':
      return { ...base, type: rule.kind, children: [...rule.children] };
    case 'exit_loop':
    case 'continue_loop':
    case 'required_before_exit':
    case 'requires_approval':
      return { ...base, type: rule.kind };
  }
}

/** A request's rules without duplicates. */
export function fromWireToolRules(rules: readonly WireToolRule[]): ToolRule[] {
  const byText = new Map(rules.map(fromWireToolRule).map((rule) => [JSON.stringify(rule), rule]));
  return [...byText.values()];
}

interface ArgumentNode {
  readonly name: string;
  readonly args?: PrefilledArguments | null | undefined;
}

function childArguments(nodes: readonly ArgumentNode[]): {
  childArguments?: Record<string, PrefilledArguments>;
} {
  const given = nodes.flatMap((node) => (node.args == null ? [] : [[node.name, node.args] as const]));
  return given.length === 0 ? {} : { childArguments: Object.fromEntries(given) };
}
