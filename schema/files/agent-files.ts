import { sql } from 'kysely';
import type { Directories, DirectoryFile } from '../../core/files/directories.js';
import { cutWindow, describeWindow, type FileLimits, filesToClose } from '../../core/files/windows.js';
import type { Db, Tx } from '../db/database.js';

/** A file of an agent's sources, as the agent has it. */
export interface AgentFile {
  readonly fileId: string;
  readonly name: string;
  readonly sourceId: string;
  readonly sourceName: string;
  readonly lines: number;
  readonly isOpen: boolean;
  readonly firstLine: number;
  /** Null: as many as fit. */
  readonly lineCount: number | null;
  /** Characters that its window may show. */
  readonly characters: number;
  /** Null: never opened. */
  readonly openedAt: Date | null;
}

/** The ingested files of an agent's sources, by source and name. */
export async function listAgentFiles(db: Db | Tx, agentId: string): Promise<readonly AgentFile[]> {
  const result = await sql<AgentFile>`
    select files.id as "fileId", files.name, sources.id as "sourceId", sources.name as "sourceName",
      coalesce(files.lines, 0) as lines, coalesce(opened.is_open, false) as "isOpen",
      coalesce(opened.first_line, 1) as "firstLine", opened.line_count as "lineCount",
      coalesce(opened.characters, 0) as characters, opened.accessed_at as "openedAt"
    from agent_sources
    join sources on sources.id = agent_sources.source_id
    join files on files.source_id = sources.id and files.state = 'completed'
    left join agent_files as opened on opened.file_id = files.id and opened.agent_id = agent_sources.agent_id
    where agent_sources.agent_id = ${agentId}
    order by agent_sources.created_at, sources.id, files.name`.execute(db);
  return result.rows;
}

/** A file to open, and which of its lines. */
export interface OpenRequest {
  readonly fileId: string;
  /** Numbered from 1. */
  readonly firstLine: number;
  readonly lineCount: number | null;
}

/**
 * Opens files for an agent. If more than `files` would be open, those opened longest ago are closed; their ids are
 * returned. Callers must not open more than that at once.
 */
export async function openAgentFiles(
  tx: Tx,
  agentId: string,
  requests: readonly OpenRequest[],
  limits: FileLimits,
): Promise<readonly string[]> {
  const open = await tx
    .selectFrom('agent_files')
    .select(['file_id as fileId', 'accessed_at as openedAt'])
    .where('agent_id', '=', agentId)
    .where('is_open', '=', true)
    .execute();
  const opening = requests.map((request) => request.fileId);
  const closed = filesToClose(open, opening, limits.files);
  await closeAgentFiles(tx, agentId, closed);
  for (const { fileId, firstLine, lineCount } of requests) {
    const window = {
      ...{ first_line: firstLine, line_count: lineCount },
      ...{ characters: limits.characters, files_limit: limits.files },
    };
    await tx
      .insertInto('agent_files')
      .values({ agent_id: agentId, file_id: fileId, is_open: true, ...window })
      .onConflict((conflict) =>
        conflict
          .columns(['agent_id', 'file_id'])
          .doUpdateSet({ is_open: true, ...window, accessed_at: sql<Date>`clock_timestamp()` }),
      )
      .execute();
  }
  return closed;
}

/** Closes files of an agent. Harmless where they aren't open. */
export async function closeAgentFiles(
  db: Db | Tx,
  agentId: string,
  fileIds: readonly string[],
): Promise<void> {
  if (fileIds.length === 0) return;
  await db
    .updateTable('agent_files')
    .set({ is_open: false })
    .where('agent_id', '=', agentId)
    .where('file_id', 'in', fileIds)
    .execute();
}

/** Lines of a file, from a line on (numbered from 1): as many as asked for, or all. */
export async function fileLines(
  db: Db | Tx,
  fileId: string,
  { firstLine, lineCount }: { readonly firstLine: number; readonly lineCount: number | null },
): Promise<readonly string[]> {
  const lastLine = lineCount === null ? null : firstLine + lineCount - 1;
  const { rows } = await sql<{ firstLine: number; words: string }>`
    select first_line as "firstLine", words from file_parts
    where file_id = ${fileId} and first_line <= coalesce(${lastLine}::int, 2147483647)
      and index >= coalesce((select max(index) from file_parts where file_id = ${fileId} and first_line <= ${firstLine}::int), 0)
    order by index`.execute(db);
  const [first] = rows;
  if (first === undefined) return [];
  const text = rows.map((row) => row.words).join('');
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const start = firstLine - first.firstLine;
  return lines.slice(start, lineCount === null ? undefined : start + lineCount);
}

/**
 * Opens files that the agent never opened or closed, as Letta does for a new source, but no more than may be open at
 * once. Harmless when repeated.
 */
export async function openNewFiles(tx: Tx, agentId: string, limits: FileLimits): Promise<void> {
  const { rows } = await sql<{ fileId: string }>`
    select files.id as "fileId" from agent_sources
    join files on files.source_id = agent_sources.source_id and files.state = 'completed'
    where agent_sources.agent_id = ${agentId}
      and not exists (select from agent_files where agent_id = ${agentId} and file_id = files.id)
    order by files.created_at desc, files.id limit ${limits.files}`.execute(tx);
  const requests = rows.map(({ fileId }) => ({ fileId, firstLine: 1, lineCount: null }));
  await openAgentFiles(tx, agentId, requests.reverse(), limits);
}

/** The window of an open file: numbered lines below a line that says which they are. */
export async function windowOf(db: Db | Tx, file: AgentFile): Promise<ReturnType<typeof cutWindow>> {
  // A shown line takes at least three characters (its number, one character and its end), so no more can fit.
  const most = Math.ceil(file.characters / 3);
  const lineCount = Math.min(file.lineCount ?? most, most);
  const lines = await fileLines(db, file.fileId, { firstLine: file.firstLine, lineCount });
  const window = cutWindow(lines, file);
  return { ...window, text: describeWindow(window, file) };
}

/** A file's path for the agent, as in Letta: two sources may have files of the same name. */
export function pathOf(file: Pick<AgentFile, 'name' | 'sourceName'>): string {
  return `${file.sourceName}/${file.name}`;
}

/** The most closed files that the context lists per source. */
const mostNamed = 100;

/** The agent's sources for its context, with the windows of open files. */
export async function loadDirectories(db: Db | Tx, agentId: string): Promise<Directories | null> {
  const sources = await db
    .selectFrom('agent_sources')
    .innerJoin('sources', 'sources.id', 'agent_sources.source_id')
    .select(['sources.id', 'sources.name', 'sources.description', 'sources.instructions'])
    .where('agent_sources.agent_id', '=', agentId)
    .orderBy('agent_sources.created_at')
    .orderBy('sources.id')
    .execute();
  if (sources.length === 0) return null;
  const [files, mostOpen] = await Promise.all([listAgentFiles(db, agentId), mostOpenFiles(db, agentId)]);
  const directories = await Promise.all(
    sources.map(async ({ id, name, description, instructions }) => {
      const own = files.filter((file) => file.sourceId === id);
      const closed = own.filter((file) => !file.isOpen);
      const named = new Set(closed.slice(0, mostNamed).map((file) => file.fileId));
      const shown = own.filter((file) => file.isOpen || named.has(file.fileId));
      return {
        name,
        description,
        instructions,
        files: await Promise.all(shown.map((file) => toDirectoryFile(db, file))),
        unnamed: own.length - shown.length,
      };
    }),
  );
  return { sources: directories, mostOpen };
}

/** How many files the agent could open when it last opened one; null before the first. */
async function mostOpenFiles(db: Db | Tx, agentId: string): Promise<number | null> {
  const row = await db
    .selectFrom('agent_files')
    .select('files_limit')
    .where('agent_id', '=', agentId)
    .orderBy('accessed_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.files_limit ?? null;
}

async function toDirectoryFile(db: Db | Tx, file: AgentFile): Promise<DirectoryFile> {
  const name = pathOf(file);
  if (!file.isOpen) return { status: 'closed', name };
  return { status: 'open', name, limit: file.characters, text: (await windowOf(db, file)).text };
}
