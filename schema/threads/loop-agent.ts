import { sql } from 'kysely';
import type { ActivityTarget } from '../../core/tools/activity-tools.js';
import { type AgentType, typesWithoutBlocks } from '../../core/agents/agents.js';
import { clientToolType, withClientTools } from '../../core/turns/approvals.js';
import { type ClientSkill, withClientSkills } from '../../core/agents/client-skills.js';
import { type Compaction, toCompaction } from '../../core/threads/compaction.js';
import type { ModelSettings, ToolSchema } from '../../core/models/model.js';
import { extensionKey } from '../../core/extensions/extension.js';
import { supervisingRules } from '../../core/tools/supervising.js';
import { sendMessageToAllAgentsInGroup } from '../../core/tools/multi-agent.js';
import type { ToolRule } from '../../core/agents/tool-rules.js';
import type { Db, Tx } from '../db/database.js';
import { extensionToolType } from '../tools/extension-tools.js';

/** A tool, as the loop needs it. */
export interface LoopTool {
  readonly name: string;
  readonly toolType: string;
  readonly schema: ToolSchema;
  /** The most characters of a result that the model sees. */
  readonly returnLimit: number;
  /** Set where the tool calls an activity of a user's own worker. */
  readonly activity?: ActivityTarget | null;
  /** The argument that holds the agent's words, if the tool speaks. */
  readonly messaging?: string | null;
}

/** The result limit of tools without a row: those of a client, or of a group's manager for one turn. */
const ownReturnLimit = 50_000;

/** An agent, as a step needs it. */
export interface LoopAgent {
  readonly id: string;
  readonly agentType: AgentType;
  readonly system: string;
  readonly model: string;
  readonly embedding: string;
  readonly contextWindow: number | null;
  readonly modelSettings: ModelSettings;
  readonly toolRules: readonly ToolRule[];
  readonly timezone: string;
  /** The extension that compiles its prompt and decides on its steps; null: none. */
  readonly extension: string | null;
  readonly tools: readonly LoopTool[];
  readonly compaction: Compaction;
  /** Changes when the context's section about sources and open files changes; null: no such section. */
  readonly filesMark: string | null;
}

/**
 * Reads the agent for a step of this turn in one query, with the settings of its conversation and of the turn, and
 * the sender's tools. Undefined where it is gone or deleted.
 */
export async function loadLoopAgent(
  db: Db | Tx,
  {
    agentId,
    threadId,
    turnId,
  }: { readonly agentId: string; readonly threadId: string; readonly turnId: string },
): Promise<LoopAgent | undefined> {
  const result = await sql<
    Omit<LoopAgent, 'compaction'> & {
      readonly keptCompaction: unknown;
      readonly askedCompaction: unknown;
      readonly brought: readonly ToolSchema[] | null;
      readonly skills: readonly ClientSkill[] | null;
      readonly leads: boolean;
    }
  >`
    select a.id, a.agent_type as "agentType", coalesce(t.options->>'overrideSystem', a.system) as system,
      coalesce(t.options->>'overrideModel', th.extras->>'model', a.model) as model, a.embedding,
      coalesce((th.extras->>'contextWindow')::int, a.context_window) as "contextWindow",
      a.model_settings || coalesce(nullif(th.extras->'modelSettings', 'null'), '{}')
        || case when t.options ? 'responseFormat' then jsonb_build_object('responseFormat', t.options->'responseFormat')
          else '{}' end as "modelSettings",
      a.tool_rules as "toolRules", a.timezone, a.metadata->>${extensionKey} as extension, t.options->'clientTools' as brought,
      t.options->'clientSkills' as skills,
      a.extras->'compaction_settings' as "keptCompaction", t.options->'chore'->'settings' as "askedCompaction",
      coalesce(t.options ? 'supervises', false) as leads,
      coalesce((
        select json_agg(json_build_object('name', t.name, 'toolType', t.tool_type, 'schema', t.json_schema,
          'returnLimit', t.return_limit,
          'messaging', case when t.tool_type = ${extensionToolType} then t.extras->>'messaging' end,
          'activity', case when t.source_type = 'temporal' then t.extras->'activity' end) order by at.position, t.name)
        from agent_tools at join tools t on t.id = at.tool_id where at.agent_id = a.id
      ), '[]') as tools,
      (
        select md5(string_agg(json_build_array(s.id, s.name, s.description, s.instructions, f.id, f.name, f.lines,
          o.is_open, o.first_line, o.line_count, o.characters)::text, ',' order by own.created_at, s.id, f.name))
        from agent_sources own join sources s on s.id = own.source_id
        left join files f on f.source_id = s.id and f.state = 'completed'
        left join agent_files o on o.file_id = f.id and o.agent_id = own.agent_id and o.is_open
        where own.agent_id = a.id
      ) as "filesMark"
    from agents a left join threads th on th.id = ${threadId} and not th.is_default
      left join turns t on t.id = ${turnId}
    where a.id = ${agentId} and a.deleted_at is null`.execute(db);
  const [row] = result.rows;
  if (row === undefined) return undefined;
  const { brought, skills, leads, keptCompaction, askedCompaction, ...rest } = row;
  const own = { ...rest, compaction: toCompaction(keptCompaction, askedCompaction) };
  const told = skills === null ? own : { ...own, system: withClientSkills(own.system, skills) };
  const agent = leads ? leading(told) : told;
  return brought === null ? agent : { ...agent, tools: withClientTools(agent.tools, brought, toClientTool) };
}

/** The agent in a turn in which it leads a group. */
function leading(agent: LoopAgent): LoopAgent {
  const { name, description, parameters, toolType } = sendMessageToAllAgentsInGroup;
  const others = agent.tools.filter((tool) => tool.name !== name);
  const broadcast = {
    name,
    toolType,
    schema: { name, description, parameters },
    returnLimit: ownReturnLimit,
  };
  return { ...agent, tools: [...others, broadcast], toolRules: supervisingRules(agent.toolRules) };
}

function toClientTool(schema: ToolSchema): LoopTool {
  return { name: schema.name, toolType: clientToolType, schema, returnLimit: ownReturnLimit };
}

/** A block, as the prompt's prefix shows it. */
export interface PrefixBlock {
  readonly blockId: string;
  readonly label: string;
  readonly value: string;
  readonly limit: number;
  readonly description: string | null;
  readonly readOnly: boolean;
  readonly revision: number;
}

/** The agent's blocks in the order of its prompt. */
export async function loadPrefixBlocks(db: Db | Tx, agentId: string): Promise<readonly PrefixBlock[]> {
  const result = await sql<PrefixBlock>`
    select b.id as "blockId", ab.label, b.value, b.value_limit as "limit", b.description,
      (b.read_only or ab.read_only) as "readOnly", b.revision
    from agent_blocks ab join blocks b on b.id = ab.block_id join agents a on a.id = ab.agent_id
    where ab.agent_id = ${agentId} and a.agent_type <> all(${[...typesWithoutBlocks]})
    order by ab.position, ab.label`.execute(db);
  return result.rows;
}
