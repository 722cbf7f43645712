import { type Kysely, sql } from 'kysely';

/** MCP servers. Their tools are tools like others, which name their server. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table mcp_servers (
      id text primary key,
      name text not null unique,
      config jsonb not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`.execute(db);
  await sql`
    create index tools_by_mcp_server on tools ((extras->'mcp'->>'server_id'))
    where extras->'mcp' is not null`.execute(db);
}
