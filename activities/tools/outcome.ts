import type { Tx } from '../../schema/db/database.js';
import type { ToolAgent } from '../../schema/turns/effects.js';
import type { Effect } from '../../schema/turns/records.js';
import type { Fence } from '../../schema/turns/fences.js';
import type { Thread } from '../../schema/threads/threads.js';
import type { Embedder } from '../deps.js';

/** What a tool returned, or, written for the model, why it could not do what was asked. */
export interface ToolOutcome {
  readonly ok: boolean;
  readonly message: string;
  /** What it wrote, where it is a program: for people, the model is shown `message` alone. */
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
}

export const done = (message: string): ToolOutcome => ({ ok: true, message });
export const refused = (message: string): ToolOutcome => ({ ok: false, message });

/** A tool that only changes rows: it runs in the transaction that stores its result. */
export interface TransactionalTool {
  readonly kind: 'transactional';
  run(context: { tx: Tx; thread: Thread; agent: ToolAgent; effect: Effect }): Promise<ToolOutcome>;
}

/**
 * A tool that needs the world first. `prepare` waits for the world, outside of any transaction, and may run
 * twice; what it returns then writes, in the transaction that stores the result.
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
 * A tool that other agents answer. `ask` gives them turns, and may run twice; once all have ended, or are given up,
 * `run` makes the result of what they said, in the transaction that stores it.
 */
export interface AskingTool {
  readonly kind: 'asking';
  ask(context: { threadId: string; agent: ToolAgent; effect: Effect; fence: Fence }): Promise<void>;
  run(context: { tx: Tx; effect: Effect }): Promise<ToolOutcome>;
}

/**
 * A tool that does to the world what nobody can take back or look up. `run` says by `start` that the tool is about to
 * be tried, and learns whether it was before; what it returns writes, in the transaction that stores the result.
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

/** A text argument. The schema was checked before, so a missing one is empty. */
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
