import type { ActivityEnd, ActivityTarget } from '../core/tools/activity-tools.js';
import type {
  EmbeddingDescription,
  ModelAnswer,
  ModelDelta,
  ModelDescription,
  ModelRequest,
} from '../core/models/model.js';
import type { Vault } from '../core/vault.js';
import type { Extensions } from '../adapters/extensions/extensions.js';
import type { McpServers } from '../adapters/mcp/mcp-server.js';
import type { Callbacks } from '../adapters/web/callbacks.js';
import type { Web } from '../adapters/web/web.js';
import type { ToolRunner } from '../adapters/custom-tools/tool-runner.js';
import type { DocumentReader } from '../adapters/documents/document-reader.js';
import type { ArchivalStore } from '../schema/archives/archival.js';
import type { Db } from '../schema/db/database.js';
import type { Vectors } from '../schema/archives/vectors.js';

/** A model as the activities use it (`adapters/models`). Throws WorldFailure. */
export interface Model {
  readonly description: ModelDescription;
  complete(
    request: ModelRequest,
    options: {
      readonly signal?: AbortSignal;
      readonly onDelta?: (delta: ModelDelta) => void;
      readonly idempotencyKey?: string;
    },
  ): Promise<ModelAnswer>;
}

/** An embedding model as the activities use it (`adapters/embeddings`). Throws WorldFailure. */
export interface Embedder {
  readonly description: EmbeddingDescription;
  embed(texts: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<number[][]>;
}

/** A log for details that must not enter the history. */
export interface Log {
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  error(message: string, details?: Readonly<Record<string, unknown>>): void;
}

/** Wakes other threads (`client/bell`). Their rows are written first, so the sweep makes up for a lost call. */
export interface Waker {
  ring(thread: { readonly threadId: string; readonly agentId: string }): Promise<void>;
  /** Tells the execution that runs a turn that the turn was cancelled. */
  stop(turn: { readonly threadId: string; readonly turnId: string }): Promise<void>;
  /** Tells a thread that the agents which its tool call asked have answered. */
  reply(call: { readonly threadId: string; readonly effectId: string }): Promise<void>;
  /** Wakes a group whose talk may continue. */
  talk(groupId: string): Promise<void>;
}

/** Calls activities of users' own workers (`client/activity-calls`). */
export interface ActivityCalls {
  /**
   * Calls the activity once per effect, however often this is repeated, and waits for its end. Rejects where Temporal
   * can't be reached or on the signal; the call then goes on.
   */
  call(call: {
    readonly effectId: string;
    readonly target: ActivityTarget;
    readonly args: Readonly<Record<string, unknown>>;
    readonly signal: AbortSignal;
  }): Promise<ActivityEnd>;
  /** Cancels the effect's call. Does nothing where there is none or it has ended. */
  cancel(effectId: string): Promise<void>;
}

/** The outside world of the activities. */
export interface ActivityDeps {
  readonly db: Db;
  /** Opens secrets for tools and MCP servers. */
  readonly vault: Vault;
  readonly models: { resolve(handle: string): Model };
  readonly embeddings: { resolve(handle: string): Embedder };
  readonly archival: ArchivalStore;
  readonly documents: DocumentReader;
  /** How vectors are searched in this database. */
  readonly vectors: Vectors;
  readonly log: Log;
  readonly waker: Waker;
  /** This worker's key, by which others see its death (`worker/presence`). */
  readonly workerKey: number;
  /** Runs custom tools in a sandbox. */
  readonly tools: ToolRunner;
  readonly mcp: McpServers;
  /** Users' own extensions. */
  readonly extensions: Extensions;
  readonly activityCalls: ActivityCalls;
  readonly web: Web;
  readonly callbacks: Callbacks;
  /** Schedule-to-close of a model call, retries included, in ms. */
  readonly modelTimeoutMs: number;
  /** Schedule-to-close of a tool that waits for the world, in ms. */
  readonly toolTimeoutMs: number;
  /** How long an agent waits for another's answer, in ms. Default 20 minutes. */
  readonly replyTimeoutMs?: number;
}
