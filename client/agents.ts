import { SettingsError } from '../adapters/settings/settings.js';
import type { Agent, AgentType } from '../core/agents/agents.js';
import type { Block } from '../core/blocks/blocks.js';
import { baseInstructions } from '../core/threads/prompts.js';
import { describeTool, extensionKey, type ToolDescription } from '../core/extensions/extension.js';
import type { BaseMemory, Section } from '../core/extensions/memory.js';
import type { ToolRule } from '../core/agents/tool-rules.js';
import type { Vault } from '../core/vault.js';
import { defaultToolRules, defaultTools, editsMemory } from '../core/tools/tools.js';
import { listAgentBlocks } from '../schema/blocks/agent-blocks.js';
import { createAgent, type NewAgent } from '../schema/agents/creation.js';
import { type AgentFork, forkAgent } from '../schema/past/forks.js';
import { saveExtensionTools } from '../schema/tools/extension-tools.js';
import type { NewBlock } from '../schema/blocks/blocks.js';
import { requireAgent } from '../schema/agents/agents.js';
import { type Db, inTransaction } from '../schema/db/database.js';
import { listTools } from '../schema/tools/tools.js';
import { ensurePartner } from './sleep-time-partners.js';

/** A request for a new agent: fields that are left out get the default of its type. */
export interface AgentRequest extends Optional<NewAgent> {
  readonly name: string;
  /** Whether it has the base tools of its type in addition to `toolNames` and `toolIds`. Default true. */
  readonly includeBaseTools?: boolean | undefined;
  /** Whether tools that `toolRules` neither lets end nor continue the loop get their default rule. Default true. */
  readonly includeBaseToolRules?: boolean | undefined;
  /** Whether a partner refines its memory while it sleeps; its own base tools then only speak and search. */
  readonly enableSleeptime?: boolean | undefined;
  /**
   * Its core memory: the sections become blocks, before those of `blocks`, and the tools of its class take the place of
   * the memory tools of its type.
   */
  readonly memory?: BaseMemory | undefined;
  /** The extension, of those that the workers have loaded, that compiles its prompt and decides on its steps. */
  readonly extension?: string | undefined;
}

/** A type whose members may be left out. */
type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Defaults for agents that name none. */
export interface AgentDefaults {
  readonly agentType: AgentType;
  /** Handle; absent where an agent must name its model. */
  readonly model?: string | undefined;
  /** Handle. */
  readonly embedding: string;
}

/** Creates and reads agents. */
export interface Agents {
  /**
   * Creates an agent, by default a MemGPT agent with its base tools and their rules, and the model and embedding of the
   * settings. The tools of its memory class are stored with it; the workers need the class's module. Throws
   * SettingsError where neither names a model, ToolNameTakenError, and what `createAgent` of `schema/` throws.
   */
  create(request: AgentRequest): Promise<Agent>;
  /** Throws AgentNotFoundError. */
  retrieve(agentId: string): Promise<Agent>;
  /** Its core memory, in the order of its prompt. Throws AgentNotFoundError. */
  blocks(agentId: string): Promise<readonly Block[]>;
  /**
   * A copy of the agent with its memory as it was at a moment, isolated from the original.
   * Throws AgentNotFoundError, MessageNotFoundError, StepNotFoundError and MomentRefusedError.
   */
  fork(fork: AgentFork): Promise<Agent>;
}

export function createAgents(db: Db, vault: Vault, defaults: AgentDefaults): Agents {
  return {
    async create(request) {
      await saveExtensionTools(db, ownTools(request.memory));
      const input = await completeAgent(db, request, defaults);
      return inTransaction(db, async (tx) => {
        const agent = await createAgent(tx, input);
        if (request.enableSleeptime === true) await ensurePartner(tx, agent);
        return agent;
      });
    },
    retrieve: (agentId) => requireAgent(db, agentId),
    async blocks(agentId) {
      await requireAgent(db, agentId);
      return listAgentBlocks(db, agentId);
    },
    fork: (fork) => forkAgent(db, vault, fork),
  };
}

/**
 * Completes a request: instructions, base tools and their rules by the agent's type.
 * Throws SettingsError where there is no model.
 */
export async function completeAgent(
  db: Db,
  request: AgentRequest,
  defaults: AgentDefaults,
): Promise<NewAgent> {
  const {
    includeBaseTools = true,
    includeBaseToolRules = true,
    enableSleeptime: hasPartner,
    memory,
    extension,
    ...given
  } = request;
  const agentType = given.agentType ?? defaults.agentType;
  const model = given.model ?? defaults.model;
  if (model === undefined) {
    const message = 'is not set, and the agent names no model. Set it, or give the agent a model.';
    throw new SettingsError([{ variable: 'PERDURE_MODEL', message }]);
  }
  const base = defaultTools(agentType, { includeBaseTools, hasPartner });
  const toolNames = [
    ...new Set([
      ...(memory === undefined ? base : base.filter((name) => !editsMemory(name))),
      ...namesIn(memory),
      ...(given.toolNames ?? []),
    ]),
  ];
  const rules = given.toolRules ?? [];
  const named = [...toolNames, ...(await namesOf(db, given.toolIds ?? []))];
  return {
    ...given,
    agentType,
    model,
    embedding: given.embedding ?? defaults.embedding,
    ...(memory === undefined ? {} : { blocks: [...memory.sections.map(toBlock), ...(given.blocks ?? [])] }),
    ...(extension === undefined ? {} : { metadata: { ...given.metadata, [extensionKey]: extension } }),
    system: given.system ?? baseInstructions(agentType),
    toolNames,
    toolRules: includeBaseToolRules ? withDefaultRules(rules, agentType, named) : rules,
  };
}

function namesIn(memory: BaseMemory | undefined): readonly string[] {
  return (memory?.tools ?? []).map((tool) => (typeof tool === 'string' ? tool : tool.name));
}

function ownTools(memory: BaseMemory | undefined): readonly ToolDescription[] {
  const tools = (memory?.tools ?? []).flatMap((tool) =>
    typeof tool === 'string' ? [] : [describeTool(tool)],
  );
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()];
}

function toBlock({ description, ...section }: Section): NewBlock {
  return { ...section, ...(description === null ? {} : { description }) };
}

/** The given rules, and the default rules of tools that they neither let end nor continue the loop. */
function withDefaultRules(given: readonly ToolRule[], agentType: AgentType, names: readonly string[]) {
  const decided = new Set(
    given
      .filter((rule) => rule.kind === 'exit_loop' || rule.kind === 'continue_loop')
      .map((rule) => rule.tool),
  );
  return [...given, ...defaultToolRules(agentType, names).filter((rule) => !decided.has(rule.tool))];
}

async function namesOf(db: Db, toolIds: readonly string[]): Promise<string[]> {
  if (toolIds.length === 0) return [];
  return (await listTools(db, { ids: toolIds }, {})).map((tool) => tool.name);
}
