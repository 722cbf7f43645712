/** A constraint on the order of an agent's tool calls within a turn. Names and meaning are Letta's. */
export type ToolRule = Constraining & {
  /** Stored and returned only. Prompts are compiled from the rules themselves. */
  readonly promptTemplate?: string;
};

/** What a rule demands. */
type Constraining =
  /** Only tools with this rule are allowed as the first call of a turn. */
  | { readonly kind: 'run_first'; readonly tool: string; readonly args?: PrefilledArguments }
  /** The turn ends after this tool. */
  | { readonly kind: 'exit_loop'; readonly tool: string }
  /** The agent gets another step after this tool, whether or not it asked for one. */
  | { readonly kind: 'continue_loop'; readonly tool: string }
  /** After this tool only its children are allowed. */
  | {
      readonly kind: 'constrain_child_tools';
      readonly tool: string;
      readonly children: readonly string[];
      readonly childArguments?: Readonly<Record<string, PrefilledArguments>>;
    }
  /** The children are allowed only directly after this tool. */
  | { readonly kind: 'parent_last_tool'; readonly tool: string; readonly children: readonly string[] }
  /** The output of this tool decides which tool is next. */
  | {
      readonly kind: 'conditional';
      readonly tool: string;
      readonly childByOutput: Readonly<Record<string, string>>;
      readonly defaultChild: string | null;
      readonly requireMapping: boolean;
    }
  /** At most this many calls of the tool in a turn. */
  | { readonly kind: 'max_count_per_step'; readonly tool: string; readonly limit: number }
  /** The turn may not end before this tool was called. */
  | { readonly kind: 'required_before_exit'; readonly tool: string }
  /** Each call needs an approval. */
  | { readonly kind: 'requires_approval'; readonly tool: string };

/** Arguments that a rule sets. They override the model's. */
export type PrefilledArguments = Readonly<Record<string, unknown>>;

/** A call that was made earlier in the turn. */
export interface PastCall {
  readonly name: string;
  /** What it returned, as stored or as packed for the model; absent where it has not run yet. */
  readonly output?: string;
  /** A failed call does not count, so that the agent can try again. */
  readonly failed?: boolean;
}

/** Which tools the next step may call. */
export interface AllowedTools {
  /** In the order in which the agent has them. */
  readonly names: string[];
  /** The tool that the rules require, if there is exactly one, to force by `tool_choice`. */
  readonly forced: string | null;
}

/** The tools that a rule allows. `prescribes`: one of them must be called now; else the rule only excludes others. */
interface Constraint {
  readonly allows: (tool: string) => boolean;
  readonly prescribes: boolean;
}

/**
 * The tools that the agent may call after the turn's earlier calls. The first call must be of a tool with a
 * `run_first` rule, if there is any; later calls must satisfy all other rules.
 */
export function allowedTools(
  rules: readonly ToolRule[],
  toolNames: readonly string[],
  calls: readonly PastCall[],
): AllowedTools {
  const constraints = firstTools(rules, toolNames, calls) ?? rules.flatMap((rule) => constraint(rule, calls));
  const names = toolNames.filter((tool) => constraints.every((each) => each.allows(tool)));
  const [only] = names;
  const prescribed = constraints.some((each) => each.prescribes);
  return { names, forced: names.length === 1 && prescribed && only !== undefined ? only : null };
}

/** Tools that must still be called before the turn may end. */
export function missingBeforeExit(rules: readonly ToolRule[], calls: readonly PastCall[]): string[] {
  const called = new Set(calls.map((call) => call.name));
  const required = rules.flatMap((rule) => (rule.kind === 'required_before_exit' ? [rule.tool] : []));
  return [...new Set(required)].filter((tool) => !called.has(tool));
}

/** Arguments that the rules set for this call of a tool; null: none. */
export function prefilledArguments(
  rules: readonly ToolRule[],
  calls: readonly PastCall[],
  tool: string,
): PrefilledArguments | null {
  const last = lastCall(calls);
  const found = rules.flatMap((rule) => {
    if (rule.kind === 'run_first') return last === undefined && rule.tool === tool ? [rule.args ?? {}] : [];
    if (rule.kind === 'constrain_child_tools' && rule.tool === last?.name) {
      return [rule.childArguments?.[tool] ?? {}];
    }
    return [];
  });
  const merged = Object.assign({}, ...found) as PrefilledArguments;
  return Object.keys(merged).length === 0 ? null : merged;
}

/** The result of a call that the rules exclude. */
export function ruleViolation(tool: string, allowed: readonly string[]): string {
  return `[ToolConstraintError] Cannot call ${tool}, valid tools include: [${allowed.join(', ')}]`;
}

/** Whether each call of this tool needs an approval. */
export function needsApproval(rules: readonly ToolRule[], tool: string): boolean {
  return rules.some((rule) => rule.kind === 'requires_approval' && rule.tool === tool);
}

/** Tools that end the turn. */
export function terminalTools(rules: readonly ToolRule[]): ReadonlySet<string> {
  return new Set(rules.flatMap((rule) => (rule.kind === 'exit_loop' ? [rule.tool] : [])));
}

/** The rules as sentences for the prompt, one a line; empty where there are none. */
export function describeRules(rules: readonly ToolRule[]): string {
  return rules.map((rule) => `- ${describe(rule)}`).join('\n');
}

function firstTools(
  rules: readonly ToolRule[],
  toolNames: readonly string[],
  calls: readonly PastCall[],
): Constraint[] | null {
  if (lastCall(calls) !== undefined) return null;
  const first = new Set(rules.flatMap((rule) => (rule.kind === 'run_first' ? [rule.tool] : [])));
  // A rule for a detached tool must not exclude all others.
  if (!toolNames.some((tool) => first.has(tool))) return null;
  return [{ allows: (tool) => first.has(tool), prescribes: true }];
}

function lastCall(calls: readonly PastCall[]): PastCall | undefined {
  return calls.findLast((call) => call.failed !== true);
}

function constraint(rule: ToolRule, calls: readonly PastCall[]): Constraint[] {
  const last = lastCall(calls);
  const isLast = last?.name === rule.tool;
  switch (rule.kind) {
    case 'constrain_child_tools':
      return isLast ? [only(rule.children)] : [];
    case 'parent_last_tool':
      return [
        isLast ? only(rule.children) : { allows: (tool) => !rule.children.includes(tool), prescribes: false },
      ];
    case 'conditional': {
      if (!isLast) return [];
      if (last.output === undefined) return [only([])];
      const child = conditionalChild(rule, last.output);
      if (child !== null) return [only([child])];
      return rule.requireMapping ? [only([])] : [];
    }
    case 'max_count_per_step': {
      const isSpent = calls.filter((call) => call.name === rule.tool).length >= rule.limit;
      return isSpent ? [{ allows: (tool) => tool !== rule.tool, prescribes: false }] : [];
    }
    case 'run_first':
    case 'exit_loop':
    case 'continue_loop':
    case 'required_before_exit':
    case 'requires_approval':
      return [];
  }
}

function only(tools: readonly string[]): Constraint {
  return { allows: (tool) => tools.includes(tool), prescribes: true };
}

function conditionalChild(rule: Extract<ToolRule, { kind: 'conditional' }>, output: string): string | null {
  const text = unpacked(output);
  const match = Object.entries(rule.childByOutput).find(([key]) => isSameOutput(text, key));
  return match?.[1] ?? rule.defaultChild;
}

/** The `message` of a packed result, or the output itself. */
function unpacked(output: string): string {
  try {
    const value: unknown = JSON.parse(output);
    if (typeof value === 'string') return value;
    if (typeof value === 'object' && value !== null && 'message' in value) return String(value.message);
  } catch {
    // Not JSON: the tool returned plain text.
  }
  return output;
}

/** Whether an output equals a rule's key, as a boolean (`True` is `true`), a number (`1.0` is `1`) or text. */
function isSameOutput(output: string, key: string): boolean {
  const [a, b] = [output.trim(), key.trim()];
  if (a === b) return true;
  if (/^(true|false)$/i.test(b)) return a.toLowerCase() === b.toLowerCase();
  return a !== '' && b !== '' && Number(a) === Number(b);
}

function describe(rule: ToolRule): string {
  switch (rule.kind) {
    case 'run_first':
      return `${rule.tool} must be your first tool call after you are woken.`;
    case 'exit_loop':
      return `${rule.tool} ends your turn; do everything else before it.`;
    case 'continue_loop':
      return `After ${rule.tool} you always get another step.`;
    case 'constrain_child_tools':
      return `Directly after ${rule.tool} you must call one of: ${rule.children.join(', ')}.`;
    case 'parent_last_tool':
      return `${rule.children.join(', ')} may only be called directly after ${rule.tool}, and then one of them must be.`;
    case 'conditional':
      return `What ${rule.tool} returns decides the tool you must call next.${describeCases(rule)}`;
    case 'max_count_per_step':
      return `${rule.tool} may be called at most ${rule.limit} times in a turn.`;
    case 'required_before_exit':
      return `${rule.tool} must be called before your turn can end.`;
    case 'requires_approval':
      return `${rule.tool} runs only after a person has approved the call.`;
  }
}

function describeCases(rule: Extract<ToolRule, { kind: 'conditional' }>): string {
  const cases = Object.entries(rule.childByOutput).map(([output, child]) => ` ${output}: ${child}.`);
  return cases.join('') + (rule.defaultChild === null ? '' : ` Anything else: ${rule.defaultChild}.`);
}
