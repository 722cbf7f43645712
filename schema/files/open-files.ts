import { sql } from 'kysely';
import { type AgentFile, windowOf } from './agent-files.js';
import type { Db, Tx } from '../db/database.js';

/** An open file with its window: numbered lines. */
export interface OpenFileView extends AgentFile {
  readonly text: string;
}

/** The open files of several agents, by agent, in the order of opening. */
export async function openFilesOfAgents(
  db: Db | Tx,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, readonly OpenFileView[]>> {
  const { rows } = await sql<AgentFile & { readonly agentId: string }>`
    select opened.agent_id as "agentId", files.id as "fileId", files.name, sources.id as "sourceId",
      sources.name as "sourceName", coalesce(files.lines, 0) as lines, opened.is_open as "isOpen",
      opened.first_line as "firstLine", opened.line_count as "lineCount", opened.characters,
      opened.accessed_at as "openedAt"
    from agent_files as opened
    join files on files.id = opened.file_id and files.state = 'completed'
    join sources on sources.id = files.source_id
    where opened.agent_id = any(${[...agentIds]}::text[]) and opened.is_open
    order by opened.agent_id, opened.accessed_at, files.id`.execute(db);
  const views = new Map<string, OpenFileView[]>();
  for (const { agentId, ...file } of rows) {
    const { text } = await windowOf(db, file);
    views.set(agentId, [...(views.get(agentId) ?? []), { ...file, text }]);
  }
  return views;
}
