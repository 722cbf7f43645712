import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Agent } from '../../core/agents/agents.js';
import type { Vault } from '../../core/vault.js';
import { resealVariables } from '../agents/variables.js';
import { requireAgent } from '../agents/agents.js';
import { copyArchives } from './archive-copies.js';
import { copyBlocks } from './block-copies.js';
import { allowTime, type Db, inTransaction, type Tx } from '../db/database.js';
import { findMoment, type MomentName } from './moments.js';
import { storable, toJson } from '../db/storable.js';
import { copyThreads } from './thread-copies.js';

/** A fork of an agent to create. */
export interface AgentFork {
  readonly agentId: string;
  /** As of which moment. */
  readonly moment: MomentName;
  /** Absent: the original's. */
  readonly name?: string | undefined;
  /** The agent whose tool creates the fork. */
  readonly madeBy?: string | undefined;
}

/**
 * Creates a copy of an agent as of a moment: blocks with their values, passages (including those deleted since),
 * transcripts with queue and summary. Settings, instructions, tools and sources are the current ones. Original and
 * copy share no memory. What was permanently deleted since (a block, a message) is missing. Throws
 * AgentNotFoundError, VaultError and what `findMoment` throws.
 */
export async function forkAgent(db: Db | Tx, vault: Vault, fork: AgentFork): Promise<Agent> {
  return inTransaction(db, async (tx) => {
    await allowTime(tx);
    const source = await requireAgent(tx, fork.agentId);
    // Locks threads first, as every writer does, so that no turn of the original advances meanwhile.
    await sql`select id from threads where agent_id = ${source.id} order by id for update`.execute(tx);
    const moment = await findMoment(tx, source, fork.moment);
    const id = `agent-${randomUUID()}`;
    await copyAgent(tx, { from: source.id, to: id, name: fork.name ?? source.name });
    // Secrets are sealed for one agent, so they are sealed again for the copy.
    const extras = resealVariables(vault, { from: source.id, to: id, extras: source.extras });
    await sql`update agents set extras = ${toJson(extras)}::jsonb, made_by = ${fork.madeBy ?? null} where id = ${id}`.execute(
      tx,
    );
    const copy = { from: source.id, to: id, moment };
    await copyBlocks(tx, copy);
    await copyArchives(tx, copy);
    await copyThreads(tx, copy);
    return requireAgent(tx, id);
  });
}

async function copyAgent(tx: Tx, copy: { from: string; to: string; name: string }): Promise<void> {
  const { from, to, name } = copy;
  await sql`
    insert into agents (id, name, agent_type, system, description, metadata, model, embedding, context_window,
      model_settings, tool_rules, timezone, extras)
    select ${to}, ${storable(name)}, agent_type, system, description, metadata, model, embedding, context_window,
      model_settings, tool_rules, timezone, extras
    from agents where id = ${from}`.execute(tx);
  await sql`insert into agent_tags (agent_id, tag) select ${to}, tag from agent_tags where agent_id = ${from}`.execute(
    tx,
  );
  await sql`insert into agent_tools (agent_id, tool_id, position)
    select ${to}, tool_id, position from agent_tools where agent_id = ${from}`.execute(tx);
  await sql`insert into agent_identities (agent_id, identity_id)
    select ${to}, identity_id from agent_identities where agent_id = ${from}`.execute(tx);
  await sql`insert into agent_sources (agent_id, source_id)
    select ${to}, source_id from agent_sources where agent_id = ${from}`.execute(tx);
}
