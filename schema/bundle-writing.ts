import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { codePoints } from '../core/block-operations.js';
import type { Bundle, BundledAgent, BundledBlock, BundledGroup, BundledSource } from '../core/bundle.js';
import { attachBlock } from './agent-blocks.js';
import { createAgent } from './agent-creation.js';
import { agentArchive, attachArchive, createArchive } from './archives.js';
import { createBlock } from './blocks.js';
import { type WrittenFiles, writeFiles, writePassages } from './bundle-texts.js';
import { writeThreads } from './bundle-transcripts.js';
import type { Tx } from './database.js';
import { createGroup, updateGroup } from './groups.js';
import { pinPassage } from './pins.js';
import { createSource } from './sources.js';
import { toJson } from './storable.js';

/** The rows that the ids of a bundle have come to stand for. */
export type WrittenIds = ReadonlyMap<string, string>;

/** What a bundle has become. */
export interface WrittenBundle {
  /** In the order of the bundle. */
  readonly agentIds: readonly string[];
  /** Files whose ingestion is to be started. */
  readonly fileIds: readonly string[];
}

/**
 * Makes all that a bundle says, in the caller's transaction; `tools` are the rows that its tools have become, and tools
 * that are not in there are left out. Throws what `createAgent` throws.
 */
export async function writeBundle(tx: Tx, bundle: Bundle, tools: WrittenIds): Promise<WrittenBundle> {
  const blocks = await writeBlocks(tx, bundle);
  const { ids: sources, fileIds, passages: ofFiles } = await writeSources(tx, bundle);
  // Named before they are made: their messages name each other.
  const agents = new Map(bundle.agents.map((agent) => [agent.id, `agent-${randomUUID()}`]));
  for (const agent of bundle.agents) {
    const id = resolved(agents, agent.id);
    await createAgent(tx, {
      ...agent,
      id,
      blocks: [],
      toolIds: agent.toolIds.flatMap((tool) => tools.get(tool) ?? []),
      sourceIds: agent.sourceIds.map((source) => resolved(sources, source)),
    });
    for (const { blockId, readOnly, notify } of agent.blocks) {
      await attachBlock(tx, { agentId: id, blockId: resolved(blocks, blockId), readOnly, notify });
    }
  }
  const ofArchives = await writeArchives(tx, bundle, agents);
  const passages = new Map([...ofFiles, ...ofArchives]);
  for (const agent of bundle.agents) await writePins(tx, agent, { agents, passages });
  for (const agent of bundle.agents) await writeThreads(tx, agent, { agents, blocks });
  for (const group of bundle.groups) await writeGroup(tx, group, { agents, blocks });
  return { agentIds: [...agents.values()], fileIds };
}

/** What an id of the bundle stands for; that it stands for something was checked where the bundle was read. */
function resolved(ids: WrittenIds, id: string): string {
  const found = ids.get(id);
  if (found === undefined) throw new Error(`a bundle names ${id}, which is not in it`);
  return found;
}

async function writeBlocks(tx: Tx, bundle: Bundle): Promise<WrittenIds> {
  const summaries = new Set(
    bundle.agents.flatMap((agent) => agent.threads.map((thread) => thread.summaryBlockId)),
  );
  const ids = new Map<string, string>();
  for (const block of bundle.blocks) {
    const author = summaries.has(block.id) ? { author: { actor: 'runtime' as const } } : {};
    const { id } = await createBlock(tx, { ...asItIs(block), id: undefined, ...author });
    ids.set(block.id, id);
  }
  return ids;
}

// A limit may have been lowered below the value since it was written.
function asItIs(block: BundledBlock): BundledBlock {
  return { ...block, limit: Math.max(block.limit, codePoints(block.value)) };
}

async function writeSources(
  tx: Tx,
  { sources }: Bundle,
): Promise<WrittenFiles & { readonly ids: WrittenIds }> {
  const ids = new Map<string, string>();
  const written: WrittenFiles[] = [];
  for (const source of sources) {
    const { id, isShared } = await writeSource(tx, source);
    ids.set(source.id, id);
    if (!isShared) written.push(await writeFiles(tx, id, source.files));
  }
  return {
    ids,
    fileIds: written.flatMap((one) => one.fileIds),
    passages: new Map(written.flatMap((one) => [...one.passages])),
  };
}

/** A source that has the same files under the same name is shared; another one of the name keeps it. */
async function writeSource(
  tx: Tx,
  source: BundledSource,
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

async function hasFiles(tx: Tx, sourceId: string, { files }: BundledSource): Promise<boolean> {
  const rows = await tx
    .selectFrom('files')
    .select(['name', 'size'])
    .where('source_id', '=', sourceId)
    .where('state', '=', 'completed')
    .execute();
  const sizes = new Map(rows.map((row) => [row.name, row.size]));
  return files.length === sizes.size && files.every((file) => sizes.get(file.name) === file.size);
}

async function writeArchives(tx: Tx, { agents, archives }: Bundle, ids: WrittenIds): Promise<WrittenIds> {
  const written = new Map<string, string>();
  for (const archive of archives) {
    const owner = agents.find(({ archives: of }) =>
      of.some(({ archiveId, isOwner }) => archiveId === archive.id && isOwner),
    );
    const { id } =
      owner === undefined
        ? await createArchive(tx, archive)
        : await agentArchive(tx, resolved(ids, owner.id));
    const { name, description, embedding, metadata } = archive;
    await tx
      .updateTable('archives')
      .set({ name, description, embedding, metadata: toJson(metadata) })
      .where('id', '=', id)
      .execute();
    const passages = await writePassages(tx, { archive_id: id }, archive.passages);
    for (const [passage, row] of passages) written.set(passage, row);
    for (const agent of guests(agents, archive.id)) await attachArchive(tx, resolved(ids, agent.id), id);
  }
  return written;
}

/** Pins again what was pinned; a passage of a source that was here already is left out. */
async function writePins(
  tx: Tx,
  agent: BundledAgent,
  { agents, passages }: { readonly agents: WrittenIds; readonly passages: WrittenIds },
): Promise<void> {
  const agentId = resolved(agents, agent.id);
  for (const pin of agent.pins) {
    const passageId = passages.get(pin);
    if (passageId !== undefined) await pinPassage(tx, agentId, passageId);
  }
}

function guests(agents: readonly BundledAgent[], archiveId: string): readonly BundledAgent[] {
  return agents.filter(({ archives }) => archives.some((one) => one.archiveId === archiveId && !one.isOwner));
}

async function writeGroup(
  tx: Tx,
  group: BundledGroup,
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
  // What partners have read stays read: they must not reflect on an imported life once more.
  await sql`
    insert into watermarks (partner_id, thread_id, position)
    select members.agent_id, threads.id, threads.next_position - 1
    from groups join group_agents members on members.group_id = groups.id
    join threads on threads.agent_id = groups.manager_agent_id
    where groups.id = ${id} and groups.manager_type in ('sleeptime', 'voice_sleeptime')
    on conflict do nothing`.execute(tx);
}
