import { sql } from 'kysely';
import type { Agent } from '../../core/agents/agents.js';
import type {
  Transfer,
  TransferredAgent,
  TransferredArchive,
  TransferredAttachment,
  TransferredBlock,
  TransferredGroup,
  TransferredPassage,
  TransferredSource,
  TransferredTranscripts,
} from '../../core/transfer/transfer.js';
import type { Group } from '../../core/groups/groups.js';
import { agentDetails } from '../agents/details.js';
import { getAgent, requireAgent } from '../agents/agents.js';
import { toBlock } from '../blocks/blocks.js';
import { readThreads } from './threads.js';
import { allowTime, type Db, type Tx } from '../db/database.js';
import { fileText } from '../files/files.js';
import { listGroups } from '../groups/groups.js';
import { listPins } from '../archives/pins.js';
import type { Tool } from '../tools/tools.js';

/**
 * Reads an agent with all that belongs to it, and the groups that it manages with their agents, at one moment.
 * Messages that a running turn has not placed yet are left out. Throws AgentNotFoundError and
 * ConversationNotFoundError.
 */
export async function readTransfer(
  db: Db,
  agentId: string,
  transcripts: TransferredTranscripts,
): Promise<Transfer> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await allowTime(tx);
      await requireAgent(tx, agentId);
      const groups = await listGroups(tx, { managerAgentIds: [agentId] }, { order: 'asc' });
      const ids = [...new Set([agentId, ...groups.flatMap((group) => group.agentIds)])];
      const agents = await Promise.all(ids.map((id) => getAgent(tx, id)));
      return readAll(
        tx,
        agents.flatMap((agent) => agent ?? []),
        { groups, transcripts },
      );
    });
}

async function readAll(
  tx: Tx,
  living: readonly Agent[],
  wanted: { readonly groups: readonly Group[]; readonly transcripts: TransferredTranscripts },
): Promise<Transfer> {
  const { groups, transcripts } = wanted;
  const agentIds = living.map((agent) => agent.id);
  const details = await agentDetails(tx, agentIds);
  const agents: TransferredAgent[] = [];
  for (const agent of living) {
    const { id } = agent;
    const detail = details.get(id);
    agents.push({
      ...agent,
      blocks: await attachments(tx, id),
      toolIds: (detail?.tools ?? []).map((tool) => tool.id),
      archives: await archivesOf(tx, id),
      pins: (await listPins(tx, id)).map((pin) => pin.id),
      sourceIds: (detail?.sources ?? []).map((source) => source.id),
      // A single conversation belongs to the first agent; the others come with all their threads.
      threads: await readThreads(
        tx,
        id,
        id === agentIds[0] || transcripts.kind === 'none' ? transcripts : { kind: 'all' },
      ),
    });
  }
  const named = blockIds(agents, groups);
  const sources = unique([...details.values()].flatMap((detail) => detail.sources));
  return {
    agents,
    blocks: await readBlocks(tx, named),
    tools: unique([...details.values()].flatMap((detail): readonly Tool[] => detail.tools)),
    archives: await readArchives(tx, agents),
    sources: await Promise.all(
      sources.map(async (source) => ({ ...source, files: await readFiles(tx, source.id) })),
    ),
    groups: groups.map((group) => toTransferredGroup(group, agentIds)),
  };
}

function unique<T extends { readonly id: string }>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

async function attachments(tx: Tx, agentId: string): Promise<readonly TransferredAttachment[]> {
  const rows = await tx
    .selectFrom('agent_blocks')
    .select(['block_id', 'read_only', 'notify'])
    .where('agent_id', '=', agentId)
    .orderBy('position')
    .orderBy('label')
    .execute();
  return rows.map((row) => ({ blockId: row.block_id, readOnly: row.read_only, notify: row.notify }));
}

function blockIds(agents: readonly TransferredAgent[], groups: readonly Group[]): readonly string[] {
  const ofAgents = agents.flatMap((agent) => [
    ...agent.blocks.map((block) => block.blockId),
    ...agent.threads.flatMap((thread) => thread.summaryBlockId ?? []),
  ]);
  return [...new Set([...ofAgents, ...groups.flatMap((group) => group.sharedBlockIds)])];
}

async function readBlocks(tx: Tx, ids: readonly string[]): Promise<readonly TransferredBlock[]> {
  const rows = await tx
    .selectFrom('blocks')
    .selectAll()
    .where('id', '=', sql<string>`any(${[...ids]})`)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, toBlock(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

async function archivesOf(tx: Tx, agentId: string): Promise<TransferredAgent['archives']> {
  const rows = await tx
    .selectFrom('agent_archives')
    .innerJoin('archives', 'archives.id', 'archive_id')
    .select(['archive_id', 'is_owner'])
    .where('agent_id', '=', agentId)
    .orderBy('is_owner', 'desc')
    .orderBy('archives.name')
    .orderBy('archive_id')
    .execute();
  return rows.map((row) => ({ archiveId: row.archive_id, isOwner: row.is_owner }));
}

async function readArchives(
  tx: Tx,
  agents: readonly TransferredAgent[],
): Promise<readonly TransferredArchive[]> {
  const ids = [...new Set(agents.flatMap((agent) => agent.archives.map((archive) => archive.archiveId)))];
  const rows = await tx
    .selectFrom('archives')
    .select(['id', 'name', 'description', 'embedding', 'metadata'])
    .where('id', '=', sql<string>`any(${ids})`)
    .execute();
  const archives: TransferredArchive[] = [];
  for (const id of ids) {
    const row = rows.find((one) => one.id === id);
    if (row !== undefined) archives.push({ ...row, passages: await readPassages(tx, 'archive_id', id) });
  }
  return archives;
}

async function readPassages(
  tx: Tx,
  owner: 'archive_id' | 'file_id',
  ownerId: string,
): Promise<readonly TransferredPassage[]> {
  const rows = await tx
    .selectFrom('passages')
    .select(['id', 'words', 'tags', 'metadata', 'embedding', 'embedding_model'])
    .select(sql<string>`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`.as('made'))
    .where(owner, '=', ownerId)
    // Ids differ between databases, so passages of the same moment are sorted by their text.
    .orderBy('created_at')
    .orderBy(sql`words collate "C"`)
    .orderBy('id')
    .execute();
  return rows.map(({ id, words, tags, metadata, embedding, embedding_model: model, made }) => ({
    id,
    text: words,
    tags,
    metadata,
    embedding: embedding === null || model === null ? null : { model, vector: embedding },
    createdAt: made,
  }));
}

async function readFiles(tx: Tx, sourceId: string): Promise<TransferredSource['files']> {
  const rows = await tx
    .selectFrom('files')
    .select(['id', 'name', 'original_name', 'media_type', 'size'])
    .where('source_id', '=', sourceId)
    .where('state', '=', 'completed')
    .orderBy('name')
    .execute();
  const files = [];
  for (const { id, name, original_name: originalName, media_type: mediaType, size } of rows) {
    const passages = await readPassages(tx, 'file_id', id);
    files.push({ name, originalName, mediaType, size, text: await fileText(tx, id), passages });
  }
  return files;
}

function toTransferredGroup(group: Group, living: readonly string[]): TransferredGroup {
  const { managerType, managerAgentId, description, managerConfig, sharedBlockIds, paused, extras } = group;
  const agentIds = group.agentIds.filter((id) => living.includes(id));
  return {
    managerType,
    managerAgentId,
    agentIds,
    description,
    managerConfig,
    sharedBlockIds,
    paused,
    extras,
  };
}
