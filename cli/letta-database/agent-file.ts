import { toFileMessage } from './messages.js';
import type { LettaRows } from './rows.js';
import type { AgentRow, ArchiveRow, ConversationRow, Free, GroupRow, MessageRow, ToolRow } from './tables.js';

/** Under which key an agent's metadata say which agent of Letta it was. An import knows it by this again. */
export const lettaIdKey = 'letta_agent_id';

/** The kind of tool whose source comes along; the others are found here by name. */
const customTool = 'custom';

/**
 * Agents of a Letta database as one agent file, whose ids are those of the database. `embedding` is the model of their
 * passages, which have no vectors in the file.
 */
export function toAgentFile(rows: LettaRows, embedding: string): Free {
  const usable = rows.tools.filter(isUsable);
  const tools = new Set(usable.map(({ id }) => id));
  const ids = new Set(rows.agents.map(({ id }) => id));
  const messages = byAgent(rows.messages);
  const conversations = byAgent(rows.conversations);
  const isOwner = firstOwners();
  return {
    agents: rows.agents.map((agent) => ({
      ...toFileAgent(agent),
      tool_ids: agent.tool_ids.filter((id) => tools.has(id)),
      messages: (messages.get(agent.id) ?? [])
        .filter(({ conversation_id: id }) => id === null)
        .map(toFileMessage),
    })),
    blocks: rows.blocks,
    tools: usable.map(toFileTool),
    sources: rows.sources,
    files: rows.files,
    groups: rows.groups.filter((group) => isWhole(group, ids)).map(toFileGroup),
    perdure: {
      version: 1,
      agents: Object.fromEntries(
        rows.agents.map((agent) => [
          agent.id,
          {
            context_window: agent.llm_config?.context_window ?? null,
            archives: agent.archives.map((one) => ({ ...one, is_owner: isOwner(one) })),
            conversations: (conversations.get(agent.id) ?? []).map((conversation) =>
              toFileConversation(conversation, messages.get(agent.id) ?? []),
            ),
          },
        ]),
      ),
      archives: rows.archives.map((archive) => toFileArchive(archive, rows, embedding)),
    },
  };
}

function byAgent<Row extends { readonly agent_id: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, Row[]> {
  const grouped = new Map<string, Row[]>();
  for (const row of rows) {
    const others = grouped.get(row.agent_id);
    if (others === undefined) grouped.set(row.agent_id, [row]);
    else others.push(row);
  }
  return grouped;
}

/** An archive has one owner here: the first agent that its rows call one. */
function firstOwners(): (link: AgentRow['archives'][number]) => boolean {
  const owned = new Set<string>();
  return ({ id, is_owner: isOwner }) => {
    if (!isOwner || owned.has(id)) return false;
    owned.add(id);
    return true;
  };
}

/** Whether a tool comes over: a custom one without source can't run. */
export function isUsable({ tool_type: type, source_code: source }: ToolRow): boolean {
  return (type ?? customTool) !== customTool || (source !== null && source.trim() !== '');
}

/** Whether all agents of a group are in the file. */
export function isWhole(group: GroupRow, agents: ReadonlySet<string>): boolean {
  const { manager_agent_id: manager, agent_ids: members } = group;
  return [...(members ?? []), ...(manager === null ? [] : [manager])].every((id) => agents.has(id));
}

function toFileAgent(agent: AgentRow): Free {
  const { variables, metadata_: metadata, message_ids: inContext, ...row } = agent;
  return {
    ...row,
    name: agent.name == null || agent.name === '' ? agent.id : agent.name,
    agent_type: agent.agent_type ?? 'memgpt_agent',
    metadata: { ...metadata, [lettaIdKey]: agent.id },
    tool_exec_environment_variables: Object.fromEntries(
      Object.entries(variables).map(([key, value]) => [key, isSealed(value) ? '' : value]),
    ),
    in_context_message_ids: inContext ?? [],
  };
}

/** Salt, nonce, tag and one byte. */
const leastSealedBytes = 45;

/** Whether Letta has encrypted a value. It stores them in one column, encrypted or not, and tells them apart like this. */
function isSealed(value: string): boolean {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value) || value.length % 4 !== 0) return false;
  return Buffer.byteLength(value, 'base64') >= leastSealedBytes;
}

function toFileTool(tool: ToolRow): Free {
  return { ...tool, tool_type: tool.tool_type ?? customTool, tags: tool.tags ?? [], npm_requirements: [] };
}

function toFileConversation(conversation: ConversationRow, messages: readonly MessageRow[]): Free {
  const { summary, model } = conversation;
  return {
    extras: { ...(summary === null ? {} : { summary }), ...(model === null ? {} : { model }) },
    created_at: conversation.created_at,
    messages: messages.filter(({ conversation_id: id }) => id === conversation.id).map(toFileMessage),
    in_context_message_ids: conversation.in_context,
  };
}

function toFileArchive(archive: ArchiveRow, { passages }: LettaRows, embedding: string): Free {
  return {
    ...{ id: archive.id, name: archive.name, description: archive.description, embedding },
    metadata: archive.metadata_ ?? {},
    passages: passages
      .filter(({ archive_id: id }) => id === archive.id)
      .map(({ text, tags, metadata_: metadata, created_at }) => ({
        ...{ text, tags: tags ?? [], metadata: metadata ?? {}, created_at },
      })),
  };
}

function toFileGroup(group: GroupRow): Free {
  const { manager_agent_id: manager, sleeptime_agent_frequency: frequency } = group;
  return {
    id: group.id,
    agent_ids: group.agent_ids ?? [],
    description: group.description,
    manager_config: {
      manager_type: group.manager_type,
      ...(manager === null ? {} : { manager_agent_id: manager }),
      ...(frequency === null ? {} : { sleeptime_agent_frequency: frequency }),
      ...(group.termination_token === null ? {} : { termination_token: group.termination_token }),
      ...(group.max_turns === null ? {} : { max_turns: group.max_turns }),
    },
    shared_block_ids: group.block_ids,
  };
}
