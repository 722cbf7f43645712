import type { JsonSchemaObject, ToolSchema } from '../../../core/models/model.js';
import type { CallMade } from './conversation.js';

/** An action of the demo model, whatever its tool is called. */
export type Action =
  | { readonly kind: 'append'; readonly text: string }
  | { readonly kind: 'replace'; readonly old: string; readonly text: string }
  | { readonly kind: 'save'; readonly text: string }
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'recall'; readonly text: string }
  | { readonly kind: 'answer'; readonly text: string };

/** A complete tool call. */
export interface ReadyCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Whether the thought is in the arguments; else it is the model's reasoning. */
  readonly carriesThought: boolean;
}

interface Way {
  readonly tools: readonly string[];
  /** The parameter for the action's text, by any of its names. */
  readonly text: readonly string[];
  readonly old?: readonly string[];
  readonly thought: (text: string) => string;
}

const ways: Readonly<Record<Action['kind'], Way>> = {
  append: {
    tools: ['core_memory_append', 'memory_insert'],
    text: ['content', 'new_str', 'new_string'],
    thought: (text) => `The user told me something to keep in core memory: ${text}`,
  },
  replace: {
    tools: ['core_memory_replace', 'memory_replace'],
    text: ['new_content', 'new_str', 'new_string'],
    old: ['old_content', 'old_str', 'old_string'],
    thought: (text) => `What I knew has changed. It is now: ${text}`,
  },
  save: {
    tools: ['archival_memory_insert'],
    text: ['content'],
    thought: (text) => `This belongs in archival memory: ${text}`,
  },
  search: {
    tools: ['archival_memory_search'],
    text: ['query'],
    thought: (text) => `Core memory does not answer this. I look in archival memory for: ${text}`,
  },
  recall: {
    tools: ['conversation_search'],
    text: ['query'],
    thought: (text) => `I look in our past messages for: ${text}`,
  },
  answer: { tools: ['send_message'], text: ['message'], thought: () => 'I have all I need to answer.' },
};

/** The call that does the action with the given tools; undefined where none can. */
export function toCall(action: Action, tools: readonly ToolSchema[]): ReadyCall | undefined {
  const way = ways[action.kind];
  const tool = tools.find((candidate) => way.tools.includes(candidate.name));
  if (tool === undefined) return undefined;
  const { properties } = tool.parameters;
  const thoughtName = ['thinking', 'inner_thoughts'].find((name) => name in properties);
  const given: Record<string, unknown> = {};
  if (thoughtName !== undefined) given[thoughtName] = toThought(action);
  if (action.kind === 'append' || action.kind === 'replace') {
    given[pick(properties, ['label', 'name'])] = 'human';
  }
  if (action.kind === 'replace') given[pick(properties, way.old ?? [])] = action.old;
  given[pick(properties, way.text)] = action.text;
  if ('request_heartbeat' in properties) given['request_heartbeat'] = action.kind !== 'answer';
  return {
    name: tool.name,
    arguments: { ...given, ...fillRequired(tool.parameters, given) },
    carriesThought: thoughtName !== undefined,
  };
}

/** A short thought before the action. */
export function toThought(action: Action): string {
  return ways[action.kind].thought(action.text);
}

/** The call that did the action, if it was made. */
export function findCall(action: Action, calls: readonly CallMade[]): CallMade | undefined {
  const { tools, text } = ways[action.kind];
  return calls.find(
    (call) => tools.includes(call.name) && text.some((name) => call.arguments[name] === action.text),
  );
}

/** A call of the tool that the request forces, if no rule knows the tool: its texts are what the user said. */
export function toForcedCall(tool: ToolSchema, text: string): ReadyCall {
  const heartbeat = 'request_heartbeat' in tool.parameters.properties ? { request_heartbeat: true } : {};
  return {
    name: tool.name,
    arguments: { ...fillRequired(tool.parameters, heartbeat, text), ...heartbeat },
    carriesThought: false,
  };
}

function pick(properties: JsonSchemaObject['properties'], names: readonly string[]): string {
  return names.find((name) => name in properties) ?? names[0] ?? '';
}

/** The simplest value for each required parameter that the rule did not set. */
function fillRequired(
  { properties, required = [] }: JsonSchemaObject,
  given: Readonly<Record<string, unknown>>,
  text = '',
): Record<string, unknown> {
  const plain: Readonly<Record<string, unknown>> = {
    string: text,
    boolean: false,
    integer: 0,
    number: 0,
    array: [],
    object: {},
  };
  const missing = required.filter((name) => !(name in given));
  return Object.fromEntries(
    missing.map((name) => [
      name,
      properties[name]?.['default'] ?? plain[String(properties[name]?.['type'])] ?? text,
    ]),
  );
}
