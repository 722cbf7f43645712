import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ToolSchema } from '../../core/models/model.js';
import { ToolNotFoundError } from './errors.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import type { SealedMcpConfig } from './mcp-secrets.js';
import type { McpServerRecord } from './mcp-servers.js';
import { storable, toJson } from '../db/storable.js';
import { type Tool, toTool } from './tools.js';

/** What changed when a server's tools were read again, by the names that agents know. */
export interface McpSync {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly deleted: readonly string[];
}

/** The server's tools by name. */
export async function listMcpTools(db: Db | Tx, serverId: string): Promise<readonly Tool[]> {
  const rows = await db.selectFrom('tools').selectAll().where(ofServer(serverId)).orderBy('name').execute();
  return rows.map(toTool);
}

/** The tool that the server calls by this name; undefined: none. */
export async function findMcpTool(db: Db | Tx, serverId: string, name: string): Promise<Tool | undefined> {
  return (await listMcpTools(db, serverId)).find((tool) => serverNameOf(tool) === name);
}

/** The server's tool with this id. Throws ToolNotFoundError. */
export async function requireMcpTool(db: Db | Tx, serverId: string, toolId: string): Promise<Tool> {
  const tool = (await listMcpTools(db, serverId)).find(({ id }) => id === toolId);
  if (tool === undefined) throw new ToolNotFoundError([toolId]);
  return tool;
}

/**
 * Updates the rows of the server's tools: existing tools keep their ids and agents, missing ones are deleted. If
 * another tool has a tool's name, it gets the server's name as a prefix.
 */
export async function syncMcpTools(
  db: Db | Tx,
  server: McpServerRecord,
  listed: readonly ToolSchema[],
): Promise<McpSync> {
  const tools = listed.map((tool) => ({
    ...tool,
    name: storable(tool.name),
    description: storable(tool.description),
  }));
  return inTransaction(db, async (tx) => {
    // One sync per server at a time, else both could add the same tool.
    await tx.selectFrom('mcp_servers').select('id').where('id', '=', server.id).forUpdate().execute();
    const known = new Map((await listMcpTools(tx, server.id)).map((tool) => [serverNameOf(tool), tool]));
    const added: string[] = [];
    const updated: string[] = [];
    for (const tool of tools) {
      const row = known.get(tool.name);
      known.delete(tool.name);
      if (row === undefined) added.push(await addTool(tx, server, tool));
      else if (await changeTool(tx, row, tool)) updated.push(row.name);
    }
    const gone = [...known.values()];
    if (gone.length > 0) {
      await tx
        .deleteFrom('tools')
        .where('id', '=', sql<string>`any(${gone.map((tool) => tool.id)})`)
        .execute();
    }
    return { added, updated, deleted: gone.map((tool) => tool.name) };
  });
}

async function addTool(tx: Tx, server: McpServerRecord, tool: ToolSchema): Promise<string> {
  const name = await freeName(tx, server, tool.name);
  await tx
    .insertInto('tools')
    .values({
      id: `tool-${randomUUID()}`,
      name,
      tool_type: 'external_mcp',
      description: tool.description,
      source_type: null,
      source_code: null,
      json_schema: toJson({ ...tool, name }),
      tags: [`mcp:${server.name}`],
      extras: toJson({ mcp: { server_id: server.id, tool_name: tool.name } }),
    })
    .execute();
  return name;
}

async function changeTool(tx: Tx, row: Tool, tool: ToolSchema): Promise<boolean> {
  const schema = { ...tool, name: row.name };
  // The database compares, because jsonb has its own order of keys.
  const changed = await tx
    .updateTable('tools')
    .set({
      description: tool.description,
      json_schema: toJson(schema),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', row.id)
    .where(sql<boolean>`json_schema <> ${toJson(schema)}::jsonb`)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

async function freeName(tx: Tx, server: McpServerRecord, name: string): Promise<string> {
  const plain = cleaned(name);
  const candidates = [plain, cleaned(`${server.name}_${name}`)];
  const rows = await tx
    .selectFrom('tools')
    .select('name')
    .where('name', '=', sql<string>`any(${candidates})`)
    .execute();
  const taken = new Set(rows.map((row) => row.name));
  return (
    candidates.find((one) => !taken.has(one)) ?? cleaned(`${plain.slice(0, 50)}_${randomUUID().slice(0, 8)}`)
  );
}

/** A name that model providers accept. */
function cleaned(name: string): string {
  return name.replaceAll(/[^\w-]/g, '_').slice(0, 64);
}

function ofServer(serverId: string) {
  return sql<boolean>`tools.extras->'mcp'->>'server_id' = ${serverId}`;
}

/** The server's own name for its tool. */
export function serverNameOf(tool: Tool): string {
  const { mcp } = tool.extras as { mcp?: { tool_name?: unknown } };
  return typeof mcp?.tool_name === 'string' ? mcp.tool_name : tool.name;
}

/** How to call a tool of an MCP server. */
export interface McpTarget {
  /** The server's. */
  readonly id: string;
  readonly config: SealedMcpConfig;
  readonly tool: string;
}

/** How to call the agent's tool of this name; undefined where it isn't of an MCP server. */
export async function findMcpTarget(
  db: Db | Tx,
  agentId: string,
  toolName: string,
): Promise<McpTarget | undefined> {
  const { rows } = await sql<McpTarget>`
    select mcp_servers.id, jsonb_build_object('sealed', mcp_servers.config) as config, tools.extras->'mcp'->>'tool_name' as tool
    from tools join mcp_servers on mcp_servers.id = tools.extras->'mcp'->>'server_id'
    join agent_tools on agent_tools.tool_id = tools.id
    where tools.name = ${toolName} and agent_tools.agent_id = ${agentId}`.execute(db);
  return rows[0];
}
