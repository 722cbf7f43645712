import type { Ask } from './connection.js';
import type {
  AgentRow,
  ArchiveRow,
  ConversationRow,
  Free,
  GroupRow,
  MessageRow,
  PassageRow,
  ToolRow,
} from './tables.js';

/** Agents with everything of theirs that is read. */
export interface LettaRows {
  readonly agents: readonly AgentRow[];
  readonly blocks: readonly Free[];
  /** In the order in which they were said. */
  readonly messages: readonly MessageRow[];
  readonly conversations: readonly ConversationRow[];
  readonly tools: readonly ToolRow[];
  readonly archives: readonly ArchiveRow[];
  /** Oldest first. */
  readonly passages: readonly PassageRow[];
  readonly sources: readonly Free[];
  readonly files: readonly Free[];
  readonly groups: readonly GroupRow[];
  readonly identities: number;
  readonly isolatedBlocks: number;
}

// As text, to keep the microseconds.
const time = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** A list of one column of rows that belong to the agent. */
const listOf = (what: string, from: string, order: string): string =>
  `array(select ${what} from ${from} order by ${order})`;

const agentsSql = `
  select a.id, a.name, a.agent_type, a.description, a.system, a.message_ids, a.response_format, a.metadata_,
    a.llm_config, a.embedding_config, a.tool_rules, a.message_buffer_autoclear, a.timezone, a.max_files_open,
    a.per_file_view_window_char_limit, a.hidden,
    ${listOf('t.tag', 'agents_tags t where t.agent_id = a.id', 't.tag')} as tags,
    coalesce((select jsonb_object_agg(v.key, coalesce(nullif(v.value, ''), v.value_enc, '')) from agent_environment_variables v
      where v.agent_id = a.id and not v.is_deleted), '{}') as variables,
    ${listOf('b.id', 'blocks_agents l join block b on b.id = l.block_id where l.agent_id = a.id and not b.is_deleted', 'b.created_at, b.id')} as block_ids,
    ${listOf('t.id', 'tools_agents l join tools t on t.id = l.tool_id where l.agent_id = a.id and not t.is_deleted', 't.name')} as tool_ids,
    ${listOf('s.id', 'sources_agents l join sources s on s.id = l.source_id where l.agent_id = a.id and not s.is_deleted', 's.name')} as source_ids,
    ${listOf("jsonb_build_object('id', r.id, 'is_owner', l.is_owner)", 'archives_agents l join archives r on r.id = l.archive_id where l.agent_id = a.id and not r.is_deleted', 'l.is_owner desc, r.id')} as archives
  from agents a where a.id = any($1) order by a.created_at, a.id`;

const messagesSql = `
  select id, agent_id, conversation_id, role, text, content, name, tool_calls, tool_call_id, tool_returns, otid,
    sender_id, approve, denial_reason, approvals, ${time('created_at')} as created_at
  from messages where agent_id = any($1) and not is_deleted order by sequence_id`;

const conversationsSql = `
  select id, agent_id, summary, model, ${time('created_at')} as created_at,
    ${listOf('m.message_id', 'conversation_messages m where m.conversation_id = conversations.id and m.in_context and not m.is_deleted', 'm.position')} as in_context
  from conversations where agent_id = any($1) and not is_deleted order by conversations.created_at, id`;

const toolsSql = `
  select id, name, tool_type, description, source_type, source_code, json_schema, args_json_schema, tags,
    return_char_limit, pip_requirements, npm_requirements, default_requires_approval, enable_parallel_execution
  from tools where id = any($1) order by name, id`;

const groupsSql = `
  select id, description, manager_type, manager_agent_id, agent_ids, termination_token, max_turns,
    sleeptime_agent_frequency,
    ${listOf('b.id', 'groups_blocks l join block b on b.id = l.block_id where l.group_id = groups.id and not b.is_deleted', 'b.id')} as block_ids
  from groups where not is_deleted and (manager_agent_id = any($1) or
    exists (select from json_array_elements_text(agent_ids) as member where member = any($1)))
  order by created_at, id`;

/** Reads agents with everything of theirs. */
export async function readRows(ask: Ask, agentIds: readonly string[]): Promise<LettaRows> {
  const of = [[...agentIds]];
  const agents = await ask<AgentRow>(agentsSql, of);
  const groups = await ask<GroupRow>(groupsSql, of);
  const all = (pick: (agent: AgentRow) => readonly string[]): string[][] => [agents.flatMap(pick)];
  const blocks = [...all((agent) => agent.block_ids).flat(), ...groups.flatMap((group) => group.block_ids)];
  const archives = all((agent) => agent.archives.map(({ id }) => id));
  const sources = all((agent) => agent.source_ids);
  const count = async (from: string): Promise<number> => {
    const [row] = await ask<{ readonly count: number }>(`select count(*)::int as count from ${from}`, of);
    return row?.count ?? 0;
  };
  return {
    ...{ agents, groups },
    blocks: await ask(
      'select id, label, value, "limit", description, read_only, metadata_ as metadata, hidden from block where id = any($1)',
      [blocks],
    ),
    messages: await ask<MessageRow>(messagesSql, of),
    conversations: await ask<ConversationRow>(conversationsSql, of),
    tools: await ask<ToolRow>(
      toolsSql,
      all((agent) => agent.tool_ids),
    ),
    archives: await ask<ArchiveRow>(
      'select id, name, description, metadata_ from archives where id = any($1) order by created_at, id',
      archives,
    ),
    passages: await ask<PassageRow>(
      `select archive_id, text, tags, metadata_, ${time('created_at')} as created_at from archival_passages
       where archive_id = any($1) and not is_deleted order by archival_passages.created_at, id`,
      archives,
    ),
    sources: await ask(
      'select id, name, description, instructions, metadata_ as metadata from sources where id = any($1) order by name',
      sources,
    ),
    files: await ask(
      `select f.id, f.source_id, f.file_name, f.original_file_name, f.file_type, f.file_size, c.text as content
       from files f left join file_contents c on c.file_id = f.id
       where f.source_id = any($1) and not f.is_deleted order by f.file_name, f.id`,
      sources,
    ),
    identities: await count('identities_agents where agent_id = any($1)'),
    isolatedBlocks: await count(
      'blocks_conversations join conversations on conversations.id = conversation_id where agent_id = any($1)',
    ),
  };
}
