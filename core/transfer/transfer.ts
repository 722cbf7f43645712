import type { Agent } from '../agents/agents.js';
import type { Block } from '../blocks/blocks.js';
import type { Group } from '../groups/groups.js';
import type { ToolRequirement, ToolRuntime } from '../tools/custom-tools.js';
import type { MessageBody } from '../threads/messages.js';
import type { ToolSchema } from '../models/model.js';

/**
 * Agents with all that belongs to them, independent of a database, as an agent file holds them. The ids in it have a
 * meaning only within the transfer.
 */
export interface Transfer {
  readonly agents: readonly TransferredAgent[];
  /** Without repetitions, even where agents share them. Includes the summaries of threads. */
  readonly blocks: readonly TransferredBlock[];
  readonly tools: readonly TransferredTool[];
  readonly archives: readonly TransferredArchive[];
  readonly sources: readonly TransferredSource[];
  readonly groups: readonly TransferredGroup[];
}

type Free = Readonly<Record<string, unknown>>;

/** A stored thing, without what only its server knows. */
type Kept<Thing, Said extends keyof Thing = never> = Omit<Thing, 'createdAt' | 'updatedAt' | Said>;

export interface TransferredAgent extends Kept<Agent> {
  /** In the order of its prompt. */
  readonly blocks: readonly TransferredAttachment[];
  readonly toolIds: readonly string[];
  /** Its own one first, if the transfer has it. */
  readonly archives: readonly { readonly archiveId: string; readonly isOwner: boolean }[];
  readonly sourceIds: readonly string[];
  /** Pinned passages, in the order of pinning. */
  readonly pins: readonly string[];
  /** Its default thread first. */
  readonly threads: readonly TransferredThread[];
}

export interface TransferredAttachment {
  readonly blockId: string;
  readonly readOnly: boolean;
  readonly notify: boolean;
}

export interface TransferredThread {
  readonly isDefault: boolean;
  /** In order. */
  readonly messages: readonly TransferredMessage[];
  /** How many of the last messages are in context. */
  readonly inContext: number;
  readonly summaryBlockId: string | null;
  readonly extras: Free;
  readonly archivedAt: Date | null;
  /** Null: the time of writing. */
  readonly createdAt: Date | null;
}

export interface TransferredMessage {
  readonly createdAt: Date;
  readonly otid: string | null;
  /** The id of an agent of the transfer, or the sender's own id. */
  readonly senderId: string | null;
  readonly body: MessageBody;
}

export type TransferredBlock = Kept<Block, 'revision'>;

export interface TransferredTool {
  readonly id: string;
  readonly name: string;
  readonly toolType: string;
  readonly description: string;
  readonly sourceType: string | null;
  readonly sourceCode: string | null;
  /** Null: derived from its source. */
  readonly schema: ToolSchema | null;
  readonly argsSchema: Free | null;
  readonly requirements: readonly ToolRequirement[];
  readonly runtime: Partial<ToolRuntime>;
  readonly tags: readonly string[];
  readonly returnLimit: number;
  readonly extras: Free;
}

export interface TransferredArchive {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Handle. */
  readonly embedding: string;
  readonly metadata: Free;
  /** Oldest first. */
  readonly passages: readonly TransferredPassage[];
}

export interface TransferredPassage {
  /** Null: nothing refers to it. */
  readonly id: string | null;
  readonly text: string;
  readonly tags: readonly string[];
  readonly metadata: Free;
  /** Null: found by words alone. */
  readonly embedding: { readonly model: string; readonly vector: readonly number[] } | null;
  /** ISO 8601 with microseconds, by which passages are sorted. */
  readonly createdAt: string;
}

export interface TransferredSource {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly instructions: string | null;
  readonly metadata: Free;
  /** Handle. */
  readonly embedding: string;
  /** Tokens. */
  readonly chunkSize: number;
  /** Tokens. */
  readonly chunkOverlap: number;
  /** Completely read ones. */
  readonly files: readonly TransferredFile[];
}

export interface TransferredFile {
  readonly name: string;
  readonly originalName: string;
  readonly mediaType: string | null;
  /** The size of the original document in bytes. */
  readonly size: number;
  readonly text: string;
  /** In the order of the text. */
  readonly passages: readonly TransferredPassage[];
}

export type TransferredGroup = Kept<Group, 'id' | 'turnsCounter' | 'lastProcessedMessageId'>;

/** Which transcripts to include. */
export type TransferredTranscripts =
  | { readonly kind: 'all' }
  /** A conversation in the place of its agent's default thread, and no other. */
  | { readonly kind: 'conversation'; readonly threadId: string }
  | { readonly kind: 'none' };

/** A transfer without its transcripts: no messages, no conversations, no summaries. */
export function withoutTranscripts(transfer: Transfer): Transfer {
  const summaries = new Set(
    transfer.agents.flatMap((agent) => agent.threads.map((thread) => thread.summaryBlockId)),
  );
  const attached = new Set(transfer.agents.flatMap((agent) => agent.blocks.map((block) => block.blockId)));
  return {
    ...transfer,
    agents: transfer.agents.map((agent) => ({ ...agent, threads: [] })),
    blocks: transfer.blocks.filter((block) => attached.has(block.id) || !summaries.has(block.id)),
  };
}
