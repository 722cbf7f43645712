import type { AgentType, LoopStyle } from '../agents/agents.js';
import { loopStyle } from '../agents/agents.js';
import type { JsonSchemaObject, ToolSchema } from '../models/model.js';
import { terminalTools, type ToolRule } from '../agents/tool-rules.js';
import { archivalMemoryInsert, archivalMemorySearch } from './archival.js';
import { memoryFinishEdits, memoryInsert, memoryReplace, memoryRethink } from './block-editing.js';
import type { BuiltinTool } from './builtin-tool.js';
import { coreMemoryAppend, coreMemoryReplace } from './core-memory.js';
import { closeFile, fileTools, grepFile, openFile, searchFile } from './files.js';
import { memory, memoryApplyPatch } from './memory.js';
import { sendMessage } from './messaging.js';
import {
  sendMessageToAgentAndWaitForReply,
  sendMessageToAgentAsync,
  sendMessageToAgentsMatchingTags,
  sendMessageToAllAgentsInGroup,
} from './multi-agent.js';
import { archivalMemoryPin, archivalMemoryUnpin } from './pins.js';
import { conversationSearch, conversationSearchDate } from './recall.js';
import { runCode, runCodeWithTools } from './run-code.js';
import { recall } from './unified-recall.js';
import { finishRethinkingMemory, rethinkUserMemory, searchMemory, storeMemories } from './voice.js';
import { fetchWebpage, webSearch } from './web.js';

/** The runtime's tool of this name; undefined for a user's own tool, even one with the same name. */
export function builtinOf(tool: {
  readonly name: string;
  readonly toolType: string;
}): BuiltinTool | undefined {
  return builtinTools.find(({ name, toolType }) => name === tool.name && toolType === tool.toolType);
}

/** Tools by which agents talk to each other. */
export const multiAgentTools: readonly BuiltinTool[] = [
  sendMessageToAgentAndWaitForReply,
  sendMessageToAgentAsync,
  sendMessageToAgentsMatchingTags,
];

/** All tools of the runtime. */
export const builtinTools: readonly BuiltinTool[] = [
  sendMessage,
  coreMemoryAppend,
  coreMemoryReplace,
  memoryInsert,
  memoryReplace,
  memoryRethink,
  memoryFinishEdits,
  memory,
  memoryApplyPatch,
  archivalMemoryInsert,
  archivalMemorySearch,
  archivalMemoryPin,
  archivalMemoryUnpin,
  conversationSearch,
  conversationSearchDate,
  recall,
  ...fileTools,
  ...multiAgentTools,
  sendMessageToAllAgentsInGroup,
  webSearch,
  fetchWebpage,
  runCode,
  runCodeWithTools,
  searchMemory,
  storeMemories,
  rethinkUserMemory,
  finishRethinkingMemory,
];

/**
 * The tools that a new agent of this type gets by default; none if it declined base tools. An agent whose memory a
 * partner refines gets only tools that speak and search, unless editing memory is its own work.
 */
export function defaultTools(
  agentType: AgentType,
  options: { includeBaseTools: boolean; hasPartner?: boolean | undefined },
): string[] {
  const tools = options.includeBaseTools ? baseTools(agentType) : [];
  const kept =
    options.hasPartner === true && agentType !== 'sleeptime_agent'
      ? tools.filter((tool) => chatTools.includes(tool))
      : tools;
  return kept.map((tool) => tool.name);
}

const memoryTools: ReadonlySet<string> = new Set(
  [
    ...[coreMemoryAppend, coreMemoryReplace, memoryInsert, memoryReplace, memoryRethink, memoryFinishEdits],
    ...[memory, memoryApplyPatch, rethinkUserMemory, finishRethinkingMemory],
  ].map(({ name }) => name),
);

/** Whether it is a tool of the runtime that edits core memory. */
export function editsMemory(name: string): boolean {
  return memoryTools.has(name);
}

/**
 * The default rules of a new agent of this type for these tools. A tool that speaks to the user or finishes editing
 * ends the turn. After the runtime's other tools, a MemGPT agent always goes on.
 */
export function defaultToolRules(agentType: AgentType, toolNames: readonly string[]): ToolRule[] {
  return toolNames.flatMap((name): ToolRule[] => {
    const tool = builtinTools.find((builtin) => builtin.name === name);
    if (tool === undefined) return [];
    if (tool.terminal === true) return [{ kind: 'exit_loop', tool: name }];
    return loopStyle(agentType) === 'tools' ? [{ kind: 'continue_loop', tool: name }] : [];
  });
}

/**
 * Whether an agent of a MemGPT loop speaks in plain text and so ends its turn, as native loops do, because it has no
 * tool to speak or to end with.
 */
export function speaksInText(agent: {
  readonly agentType: AgentType;
  readonly toolRules: readonly ToolRule[];
  readonly tools: readonly { readonly name: string; readonly messaging?: string | null }[];
}): boolean {
  if (loopStyle(agent.agentType) === 'native') return false;
  const ending = terminalTools(agent.toolRules);
  return !agent.tools.some(
    ({ name, messaging }) => name === sendMessage.name || messaging != null || ending.has(name),
  );
}

/** Whether the model's plain text is spoken. If not, it is a thought that accompanies the calls. */
export function saysItsText(agent: Parameters<typeof speaksInText>[0]): boolean {
  return loopStyle(agent.agentType) === 'native' || speaksInText(agent);
}

/**
 * The schemas that a model sees. A MemGPT loop adds `thinking` as the first parameter, unless the model reasons
 * natively, and `request_heartbeat` as the last one of each tool that doesn't end the turn.
 */
export function offeredSchemas(
  tools: readonly ToolSchema[],
  options: { style: LoopStyle; injectThinking: boolean; terminal: ReadonlySet<string> },
): ToolSchema[] {
  return tools.map(({ name, description, parameters }) => {
    if (options.style === 'native') return { name, description, parameters };
    const first = options.injectThinking ? { thinking: thinkingSchema } : {};
    const last = options.terminal.has(name) ? {} : { request_heartbeat: heartbeatSchema };
    return { name, description, parameters: surrounded(parameters, first, last) };
  });
}

/** A call's arguments, without those that the loop added to its schema. */
export interface SplitArguments {
  readonly thinking: string;
  readonly requestHeartbeat: boolean;
  readonly args: Record<string, unknown>;
}

/**
 * Takes the added parameters out of a call's arguments. `inner_thoughts` is accepted too. Parameters of the tool's
 * own stay in `args`.
 */
export function splitArguments(
  args: Readonly<Record<string, unknown>>,
  own: ReadonlySet<string> = new Set(),
): SplitArguments {
  const { thinking, inner_thoughts: innerThoughts, request_heartbeat: heartbeat } = args;
  const thoughts = [thinking, innerThoughts].find((value) => typeof value === 'string' && value !== '');
  const kept = Object.entries(args).filter(([name]) => !injected.has(name) || own.has(name));
  return {
    thinking: typeof thoughts === 'string' ? thoughts : '',
    // Weak models write the boolean as a string.
    requestHeartbeat: heartbeat === true || (typeof heartbeat === 'string' && /^true$/i.test(heartbeat)),
    args: Object.fromEntries(kept),
  };
}

/** Renames a built-in tool's arguments from aliases to the names of its schema. */
export function canonicalArguments(
  tool: Pick<BuiltinTool, 'aliases'>,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const named = Object.entries(args).map(([name, value]): [string, unknown] => {
    const canonical = tool.aliases?.[name];
    return [canonical === undefined || canonical in args ? name : canonical, value];
  });
  return Object.fromEntries(named);
}

const injected: ReadonlySet<string> = new Set(['thinking', 'inner_thoughts', 'request_heartbeat']);

const thinkingSchema = {
  type: 'string',
  description:
    'Your private thoughts before you act: what you know, what you want, why this call. Never shown to the user.',
};

const heartbeatSchema = {
  type: 'boolean',
  description:
    'Whether you want to act again right after this call. Set to true to chain calls or to answer the user next; false hands control back and waits for the next event.',
};

function surrounded(
  schema: JsonSchemaObject,
  first: JsonSchemaObject['properties'],
  last: JsonSchemaObject['properties'],
): JsonSchemaObject {
  const added = new Set([...Object.keys(first), ...Object.keys(last)]);
  const own = Object.fromEntries(Object.entries(schema.properties).filter(([name]) => !added.has(name)));
  const required = (schema.required ?? []).filter((name) => !added.has(name));
  return {
    ...schema,
    properties: { ...first, ...own, ...last },
    required: [...Object.keys(first), ...required, ...Object.keys(last)],
  };
}

const chatTools = [sendMessage, conversationSearch, archivalMemorySearch, recall];
const archivalTools = [archivalMemoryInsert, archivalMemorySearch];

function baseTools(agentType: AgentType): readonly BuiltinTool[] {
  switch (agentType) {
    case 'memgpt_agent':
    case 'split_thread_agent':
      return [
        sendMessage,
        coreMemoryAppend,
        coreMemoryReplace,
        conversationSearch,
        conversationSearchDate,
        ...archivalTools,
      ];
    case 'memgpt_v2_agent':
      return [
        ...[sendMessage, memoryInsert, memoryReplace, memoryRethink, conversationSearch],
        ...archivalTools,
        recall,
        ...[openFile, closeFile, grepFile, searchFile],
      ];
    case 'letta_v1_agent':
      return [memoryInsert, memoryReplace, conversationSearch, ...archivalTools];
    case 'sleeptime_agent':
    case 'voice_sleeptime_agent':
      return [memoryReplace, memoryInsert, memoryRethink, memoryFinishEdits];
    case 'voice_convo_agent':
      return [sendMessage, conversationSearch, archivalMemorySearch];
    case 'react_agent':
      return [sendMessage];
    case 'workflow_agent':
      return [];
  }
}
