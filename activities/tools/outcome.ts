import type { Tx } from '../../schema/db/database.js';
import type { ToolAgent } from '../../schema/turns/effects.js';
import type { Effect } from '../../schema/turns/records.js';
import type { Fence } from '../../schema/turns/fences.js';
import type { Thread } from '../../schema/threads/threads.js';
import type { Embedder } from '../deps.js';

/** What a tool returned, or a message for the model that says why it could not. */
export interface ToolOutcome {
  readonly ok: boolean;
  readonly message: string;
  /** A program's output, for people. The model only sees `message`. */
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
}

export const done = (message: string): ToolOutcome => ({ ok: true, message });
export const refused = (message: string): ToolOutcome => ({ ok: false, message });

/** A tool that only changes rows. It runs in the transaction that stores its result. */
export interface TransactionalTool {
  readonly kind: 'transactional';
  run(context: { tx: Tx; thread: Thread; agent: ToolAgent; effect: Effect }): Promise<ToolOutcome>;
}

/**
 * A tool that needs the world first. `prepare` waits for the world, outside of any transaction, and may run twice.
 * The function it returns writes, in the transaction that stores the result.
 */
export interface SearchingTool {
  readonly kind: 'searching';
  prepare(context: {
    agent: ToolAgent;
    threadId: string;
    effect: Effect;
    embedder: () => Embedder;
    signal: AbortSignal;
    fence: Fence;
  }): Promise<(context: { tx: Tx }) => Promise<ToolOutcome>>;
}

/**
 * A tool that other agents answer. `ask` gives them turns and may run twice. Once all have ended or are given up,
 * `run` builds the result from their answers, in the transaction that stores it.
 */
export interface AskingTool {
  readonly kind: 'asking';
  ask(context: { threadId: string; agent: ToolAgent; effect: Effect; fence: Fence }): Promise<void>;
  run(context: { tx: Tx; effect: Effect }): Promise<ToolOutcome>;
}

/**
 * A tool with an effect on the world that can't be undone or looked up. Before its effect, `run` calls `start`, which
 * tells whether it was started before. The function that `run` returns writes, in the transaction that stores the
 * result.
 */
export interface OutsideTool {
  readonly kind: 'outside';
  run(context: {
    agent: ToolAgent;
    effect: Effect;
    start: () => Promise<Effect['state'] | undefined>;
    signal: AbortSignal;
  }): Promise<(context: { tx: Tx }) => Promise<ToolOutcome>>;
}

export type ToolImplementation = TransactionalTool | SearchingTool | AskingTool | OutsideTool;

/** A text argument. Arguments fit the schema, so a missing one is optional and counts as empty. */
export function textArgument(effect: Effect, name: string): string {
  const value = effect.arguments[name];
  return typeof value === 'string' ? value : '';
}

export function numberArgument(effect: Effect, name: string, fallback: number): number {
  const value = effect.arguments[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}

export function listArgument(effect: Effect, name: string): readonly string[] | undefined {
  const value = effect.arguments[name];
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((item): item is string => typeof item === 'string');
  return texts.length === 0 ? undefined : texts;
}
