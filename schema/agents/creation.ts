import { randomUUID } from 'node:crypto';
import type { Agent, AgentType } from '../../core/agents/agents.js';
import type { ModelSettings } from '../../core/models/model.js';
import type { ToolRule } from '../../core/agents/tool-rules.js';
import { attachBlock } from '../blocks/agent-blocks.js';
import { attachIdentity } from '../identities/agent-identities.js';
import { attachSource } from '../files/agent-sources.js';
import { attachTools, resolveTools } from '../tools/agent-tools.js';
import { requireSealed } from './variables.js';
import { requireAgent } from './agents.js';
import { createBlock, type NewBlock } from '../blocks/blocks.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { AgentIdTakenError } from './errors.js';
import { storable, storableOrNull, toJson } from '../db/storable.js';

/** An agent to create. */
export interface NewAgent {
  /** `agent-<uuid>`; absent: random. */
  readonly id?: string | undefined;
  readonly name: string;
  readonly agentType: AgentType;
  readonly system: string;
  readonly description?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly model: string;
  readonly embedding: string;
  readonly contextWindow?: number | null | undefined;
  readonly modelSettings?: ModelSettings | undefined;
  readonly toolRules?: readonly ToolRule[] | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Default 'UTC'. */
  readonly timezone?: string | undefined;
  /** The variables in it are sealed for the agent's id (`sealVariables`). */
  readonly extras?: Readonly<Record<string, unknown>> | undefined;
  /** Blocks to create with the agent, in this order, before the existing ones. */
  readonly blocks?: readonly NewBlock[] | undefined;
  readonly blockIds?: readonly string[] | undefined;
  readonly toolNames?: readonly string[] | undefined;
  readonly toolIds?: readonly string[] | undefined;
  readonly sourceIds?: readonly string[] | undefined;
  readonly identityIds?: readonly string[] | undefined;
  /** The agent whose tool creates this one. */
  readonly madeBy?: string | undefined;
}

/**
 * Creates an agent with its tags, default thread (whose id is the agent's), blocks, tools and own archive, or
 * nothing. Throws AgentIdTakenError, BlockNotFoundError, BlockLimitError, LabelTakenError, ToolNotFoundError,
 * SourceNotFoundError and IdentityNotFoundError.
 */
export async function createAgent(db: Db | Tx, input: NewAgent): Promise<Agent> {
  const agentId = input.id ?? `agent-${randomUUID()}`;
  return inTransaction(db, async (tx) => {
    await insertAgent(tx, agentId, input);
    await saveTags(tx, agentId, input.tags ?? []);
    await tx.insertInto('threads').values({ id: agentId, agent_id: agentId, is_default: true }).execute();
    for (const block of input.blocks ?? []) {
      const { id } = await createBlock(tx, block);
      await attachBlock(tx, { agentId, blockId: id });
    }
    for (const blockId of input.blockIds ?? []) await attachBlock(tx, { agentId, blockId });
    await attachTools(tx, agentId, await resolveTools(tx, { ids: input.toolIds, names: input.toolNames }));
    await insertArchive(tx, agentId, input);
    for (const sourceId of input.sourceIds ?? []) await attachSource(tx, agentId, sourceId);
    for (const identityId of input.identityIds ?? []) await attachIdentity(tx, agentId, identityId);
    return requireAgent(tx, agentId);
  });
}

async function insertAgent(tx: Tx, agentId: string, input: NewAgent): Promise<void> {
  requireSealed(input.extras ?? {});
  const row = await tx
    .insertInto('agents')
    .values({
      id: agentId,
      name: storable(input.name),
      agent_type: input.agentType,
      system: storable(input.system),
      description: storableOrNull(input.description ?? null),
      metadata: toJson(input.metadata ?? {}),
      model: storable(input.model),
      embedding: storable(input.embedding),
      context_window: input.contextWindow ?? null,
      model_settings: toJson(input.modelSettings ?? {}),
      tool_rules: toJson(input.toolRules ?? []),
      timezone: input.timezone ?? 'UTC',
      made_by: input.madeBy ?? null,
      extras: toJson(input.extras ?? {}),
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) throw new AgentIdTakenError(agentId);
}

/** Adds tags; existing ones are ignored. */
export async function saveTags(tx: Tx, agentId: string, tags: readonly string[]): Promise<void> {
  const distinct = [...new Set(tags.map(storable))];
  if (distinct.length === 0) return;
  await tx
    .insertInto('agent_tags')
    .values(distinct.map((tag) => ({ agent_id: agentId, tag })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function insertArchive(tx: Tx, agentId: string, input: NewAgent): Promise<void> {
  const archiveId = `archive-${randomUUID()}`;
  await tx
    .insertInto('archives')
    .values({
      id: archiveId,
      name: storable(`${input.name}'s archive`),
      description: null,
      embedding: storable(input.embedding),
      metadata: toJson({}),
    })
    .execute();
  await tx
    .insertInto('agent_archives')
    .values({ agent_id: agentId, archive_id: archiveId, is_owner: true })
    .execute();
}
