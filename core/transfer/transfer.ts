import type { Agent } from '../agents/agents.js';
import type { Block } from '../blocks/blocks.js';
import type { Group } from '../groups/groups.js';
import type { ToolRequirement, ToolRuntime } from '../tools/custom-tools.js';
import type { MessageBody } from '../threads/messages.js';
import type { ToolSchema } from '../turns/model.js';

/**
 * Agents with all that is theirs, apart from any database: what an agent file says. Things name each other by ids that
 * mean something within the bundle alone.
 */
export interface Bundle {
  readonly agents: readonly BundledAgent[];
  /** Each once, however many agents share it. The summaries of threads are among them. */
  readonly blocks: readonly BundledBlock[];
  readonly tools: readonly BundledTool[];
  readonly archives: readonly BundledArchive[];
  readonly sources: readonly BundledSource[];
  readonly groups: readonly BundledGroup[];
}

type Free = Readonly<Record<string, unknown>>;

/** What is written of something else, but for what a server says of it. */
type Kept<Thing, Said extends keyof Thing = never> = Omit<Thing, 'createdAt' | 'updatedAt' | Said>;

export interface BundledAgent extends Kept<Agent> {
  /** In the order of its prompt. */
  readonly blocks: readonly BundledAttachment[];
  readonly toolIds: readonly string[];
  /** Its own one first, where the bundle says anything of it. */
  readonly archives: readonly { readonly archiveId: string; readonly isOwner: boolean }[];
  readonly sourceIds: readonly string[];
  /** Passages that stay in its context, in the order in which they were pinned. */
  readonly pins: readonly string[];
  /** Its default thread first. */
  readonly threads: readonly BundledThread[];
}

export interface BundledAttachment {
  readonly blockId: string;
  readonly readOnly: boolean;
  readonly notify: boolean;
}

export interface BundledThread {
  readonly isDefault: boolean;
  /** In order. */
  readonly messages: readonly BundledMessage[];
  /** How many of the last messages are in context. */
  readonly inContext: number;
  readonly summaryBlockId: string | null;
  readonly extras: Free;
  readonly archivedAt: Date | null;
  /** Null: when it is written. */
  readonly createdAt: Date | null;
}

export interface BundledMessage {
  readonly createdAt: Date;
  readonly otid: string | null;
  /** The id of an agent of the bundle, or whatever the sender was called. */
  readonly senderId: string | null;
  readonly body: MessageBody;
}

export type BundledBlock = Kept<Block, 'revision'>;

export interface BundledTool {
  readonly id: string;
  readonly name: string;
  readonly toolType: string;
  readonly description: string;
  readonly sourceType: string | null;
  readonly sourceCode: string | null;
  /** Null: as its source says. */
  readonly schema: ToolSchema | null;
  readonly argsSchema: Free | null;
  readonly requirements: readonly ToolRequirement[];
  readonly runtime: Partial<ToolRuntime>;
  readonly tags: readonly string[];
  readonly returnLimit: number;
  readonly extras: Free;
}

export interface BundledArchive {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Handle. */
  readonly embedding: string;
  readonly metadata: Free;
  /** Oldest first. */
  readonly passages: readonly BundledPassage[];
}

export interface BundledPassage {
  /** Null where nothing names it. */
  readonly id: string | null;
  readonly text: string;
  readonly tags: readonly string[];
  readonly metadata: Free;
  /** Null: it is found by its words alone. */
  readonly embedding: { readonly model: string; readonly vector: readonly number[] } | null;
  /** ISO 8601 with microseconds: passages are ordered by it. */
  readonly createdAt: string;
}

export interface BundledSource {
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
  /** Those that were read to the end. */
  readonly files: readonly BundledFile[];
}

export interface BundledFile {
  readonly name: string;
  readonly originalName: string;
  readonly mediaType: string | null;
  /** Bytes of the document that it was read from. */
  readonly size: number;
  readonly text: string;
  /** In the order of the text. */
  readonly passages: readonly BundledPassage[];
}

export type BundledGroup = Kept<Group, 'id' | 'turnsCounter' | 'lastProcessedMessageId'>;

/** What of a bundle is wanted of the transcripts of its agents. */
export type BundledTranscripts =
  | { readonly kind: 'all' }
  /** A conversation in the place of its agent's default thread; no other. */
  | { readonly kind: 'conversation'; readonly threadId: string }
  | { readonly kind: 'none' };

/** A bundle without its transcripts: no messages, no conversations, no summaries. */
export function withoutTranscripts(bundle: Bundle): Bundle {
  const summaries = new Set(
    bundle.agents.flatMap((agent) => agent.threads.map((thread) => thread.summaryBlockId)),
  );
  const attached = new Set(bundle.agents.flatMap((agent) => agent.blocks.map((block) => block.blockId)));
  return {
    ...bundle,
    agents: bundle.agents.map((agent) => ({ ...agent, threads: [] })),
    blocks: bundle.blocks.filter((block) => attached.has(block.id) || !summaries.has(block.id)),
  };
}
