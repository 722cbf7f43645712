import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { codePoints } from '../../core/blocks/operations.js';
import type {
  Transfer,
  TransferredAgent,
  TransferredBlock,
  TransferredGroup,
  TransferredSource,
} from '../../core/transfer/transfer.js';
import type { Vault } from '../../core/vault.js';
import { attachBlock } from '../blocks/agent-blocks.js';
import { createAgent } from '../agents/creation.js';
import { sealVariables } from '../agents/variables.js';
import { agentArchive, attachArchive, createArchive } from '../archives/archives.js';
import { createBlock } from '../blocks/blocks.js';
import { type WrittenFiles, writeFiles, writePassages } from './texts.js';
import { writeThreads } from './transcripts.js';
import type { Tx } from '../db/database.js';
import { createGroup, updateGroup } from '../groups/groups.js';
import { pinPassage } from '../archives/pins.js';
import { createSource } from '../files/sources.js';
import { storable, storableOrNull, toJson } from '../db/storable.js';

/** Ids of rows by the transfer's ids. */
export type WrittenIds = ReadonlyMap<string, string>;

/** The result of writing a transfer. */
export interface WrittenTransfer {
  /** In the order of the transfer. */
  readonly agentIds: readonly string[];
  /** Files that need ingestion. */
  readonly fileIds: readonly string[];
  /** Names of existing sources, which the agents now share. */
  readonly sharedSources: readonly string[];
  /** How many pinned passages of those sources are not pinned. */
  readonly pinsLeftOut: number;
}

/**
 * Writes a transfer in the caller's transaction. `tools` are the rows of its tools; other tools are left out. Throws
 * what `createAgent` and `sealVariables` throw.
 */
export async function writeTransfer(
  tx: Tx,
  transfer: Transfer,
  { tools, vault }: { readonly tools: WrittenIds; readonly vault: Vault },
): Promise<WrittenTransfer> {
  const blocks = await writeBlocks(tx, transfer);
  const { ids: sources, fileIds, passages: ofFiles, shared } = await writeSources(tx, transfer);
  // Ids are assigned before agents are created, because messages of agents name each other.
  const agents = new Map(transfer.agents.map((agent) => [agent.id, `agent-${randomUUID()}`]));
  for (const agent of transfer.agents) {
    const id = resolved(agents, agent.id);
    await createAgent(tx, {
      ...agent,
      id,
      extras: sealVariables(vault, id, { extras: agent.extras }),
      blocks: [],
      toolIds: agent.toolIds.flatMap((tool) => tools.get(tool) ?? []),
      sourceIds: agent.sourceIds.map((source) => resolved(sources, source)),
    });
    for (const { blockId, readOnly, notify } of agent.blocks) {
      await attachBlock(tx, { agentId: id, blockId: resolved(blocks, blockId), readOnly, notify });
    }
  }
  const ofArchives = await writeArchives(tx, transfer, agents);
  const passages = new Map([...ofFiles, ...ofArchives]);
  let pinsLeftOut = 0;
  for (const agent of transfer.agents) pinsLeftOut += await writePins(tx, agent, { agents, passages });
  for (const agent of transfer.agents) await writeThreads(tx, agent, { agents, blocks });
  for (const group of transfer.groups) await writeGroup(tx, group, { agents, blocks });
  return { agentIds: [...agents.values()], fileIds, sharedSources: shared, pinsLeftOut };
}

/** The new id for one of the transfer. That it exists was checked when the transfer was read. */
function resolved(ids: WrittenIds, id: string): string {
  const found = ids.get(id);
  if (found === undefined) throw new Error(`a transfer names ${id}, which is not in it`);
  return found;
}

async function writeBlocks(tx: Tx, transfer: Transfer): Promise<WrittenIds> {
  const summaries = new Set(
    transfer.agents.flatMap((agent) => agent.threads.map((thread) => thread.summaryBlockId)),
  );
  const ids = new Map<string, string>();
  for (const block of transfer.blocks) {
    const author = summaries.has(block.id) ? { author: { actor: 'runtime' as const } } : {};
    const { id } = await createBlock(tx, { ...asItIs(block), id: undefined, ...author });
    ids.set(block.id, id);
  }
  return ids;
}

// The limit may have been lowered below the value.
function asItIs(block: TransferredBlock): TransferredBlock {
  return { ...block, limit: Math.max(block.limit, codePoints(block.value)) };
}

async function writeSources(
  tx: Tx,
  { sources }: Transfer,
): Promise<WrittenFiles & { readonly ids: WrittenIds; readonly shared: readonly string[] }> {
  const ids = new Map<string, string>();
  const written: WrittenFiles[] = [];
  const shared: string[] = [];
  for (const source of sources) {
    const { id, isShared } = await writeSource(tx, source);
    ids.set(source.id, id);
    if (isShared) shared.push(source.name);
    else written.push(await writeFiles(tx, id, source.files));
  }
  return {
    ...{ ids, shared },
    fileIds: written.flatMap((one) => one.fileIds),
    passages: new Map(written.flatMap((one) => [...one.passages])),
  };
}

/**
 * Writes a source. If an existing one has the same name and the same texts, that one is shared; another one keeps the
 * name.
 */
async function writeSource(
  tx: Tx,
  source: TransferredSource,
): Promise<{ readonly id: string; readonly isShared: boolean }> {
  let name = source.name;
  for (let n = 2; ; n += 1) {
    const twin = await tx.selectFrom('sources').select('id').where('name', '=', name).executeTakeFirst();
    if (twin === undefined) break;
    if (await hasFiles(tx, twin.id, source)) return { id: twin.id, isShared: true };
    name = `${source.name} (${n})`;
  }
  const { id } = await createSource(tx, { ...source, name });
  return { id, isShared: false };
}

/** Whether the source consists of exactly these files, all completely read. A source without files matches none. */
async function hasFiles(tx: Tx, sourceId: string, { files }: TransferredSource): Promise<boolean> {
  if (files.length === 0) return false;
  const { rows } = await sql<{ readonly name: string; readonly hash: string | null }>`
    select name, case when state = 'completed' then (
      select encode(sha256(convert_to(coalesce(string_agg(words, '' order by index), ''), 'UTF8')), 'hex')
      from file_parts where file_id = files.id) end as hash
    from files where source_id = ${sourceId}`.execute(tx);
  const hashes = new Map(rows.map((row) => [row.name, row.hash]));
  return (
    rows.length === files.length &&
    files.every((file) => hashes.get(storable(file.name)) === sha256(storable(file.text)))
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function writeArchives(tx: Tx, { agents, archives }: Transfer, ids: WrittenIds): Promise<WrittenIds> {
  const written = new Map<string, string>();
  const owners = agentsByArchive(agents, ({ isOwner }) => isOwner);
  const guests = agentsByArchive(agents, ({ isOwner }) => !isOwner);
  for (const archive of archives) {
    const [owner] = owners.get(archive.id) ?? [];
    const { id } =
      owner === undefined ? await createArchive(tx, archive) : await agentArchive(tx, resolved(ids, owner));
    const { name, description, embedding, metadata } = archive;
    await tx
      .updateTable('archives')
      .set({
        name: storable(name),
        description: storableOrNull(description),
        embedding: storable(embedding),
        metadata: toJson(metadata),
      })
      .where('id', '=', id)
      .execute();
    const passages = await writePassages(tx, { archive_id: id }, archive.passages);
    for (const [passage, row] of passages) written.set(passage, row);
    for (const agent of guests.get(archive.id) ?? []) await attachArchive(tx, resolved(ids, agent), id);
  }
  return written;
}

/** Pins the passages again. Returns how many were skipped: those of existing sources. */
async function writePins(
  tx: Tx,
  agent: TransferredAgent,
  { agents, passages }: { readonly agents: WrittenIds; readonly passages: WrittenIds },
): Promise<number> {
  const agentId = resolved(agents, agent.id);
  const written = agent.pins.flatMap((pin) => passages.get(pin) ?? []);
  for (const passageId of written) await pinPassage(tx, agentId, passageId);
  return agent.pins.length - written.length;
}

/** Agents of a transfer by their archives, of those that are wanted. */
function agentsByArchive(
  agents: readonly TransferredAgent[],
  isWanted: (archive: TransferredAgent['archives'][number]) => boolean,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { id, archives } of agents) {
    for (const { archiveId } of archives.filter(isWanted)) {
      const others = found.get(archiveId);
      if (others === undefined) found.set(archiveId, [id]);
      else others.push(id);
    }
  }
  return found;
}

async function writeGroup(
  tx: Tx,
  group: TransferredGroup,
  { agents, blocks }: { readonly agents: WrittenIds; readonly blocks: WrittenIds },
): Promise<void> {
  const managerAgentId = group.managerAgentId === null ? null : resolved(agents, group.managerAgentId);
  const { id } = await createGroup(tx, {
    ...group,
    managerAgentId,
    agentIds: group.agentIds.map((agent) => resolved(agents, agent)),
    sharedBlockIds: group.sharedBlockIds.map((block) => resolved(blocks, block)),
  });
  if (group.paused) await updateGroup(tx, id, { paused: true });
  // Partners must not process an imported transcript again, so it counts as read.
  await sql`
    insert into watermarks (partner_id, thread_id, position)
    select members.agent_id, threads.id, threads.next_position - 1
    from groups join group_agents members on members.group_id = groups.id
    join threads on threads.agent_id = groups.manager_agent_id
    where groups.id = ${id} and groups.manager_type in ('sleeptime', 'voice_sleeptime')
    on conflict do nothing`.execute(tx);
}
