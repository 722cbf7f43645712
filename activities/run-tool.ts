import { WorldFailure } from '../core/failures.js';
import { limitOutput } from '../core/tool-output.js';
import { inTransaction, type Tx } from '../schema/database.js';
import { beginAsking, endAsking, stopWaiting } from '../schema/edges.js';
import { beginResult, findCall, finishEffect, type PlannedCall, startEffect } from '../schema/effects.js';
import type { Effect } from '../schema/records.js';
import type { Fence } from '../schema/fences.js';
import type { CallResult } from '../schema/step-answers.js';
import type { Thread } from '../schema/threads.js';
import { toolResultMessage } from '../schema/tool-results.js';
import type { ActivityDeps, Embedder } from './deps.js';
import { fenced } from './failures.js';
import { currentExecution, keepingAlive, keepingOn, type Signals } from './keep-alive.js';
import { onlyOne } from './only-one.js';
import { externalTool } from './tools/external.js';
import { implementationOf } from './tools/implementations.js';
import {
  type OutsideTool,
  refused,
  type RowsOutcome,
  type SearchingTool,
  type ToolImplementation,
  type ToolOutcome,
  type TransactionalTool,
} from './tools/outcome.js';

/** A tool call, as the workflow asks for it. */
export interface ToolInput {
  readonly threadId: string;
  readonly turnId: string;
  readonly agentId: string;
  readonly effectId: string;
  /** Temporal gave it up: store a result that says so. */
  readonly gaveUp?: boolean;
}

export interface ToolVerdict {
  readonly status: 'success' | 'error';
}

interface Run extends PlannedCall {
  readonly input: ToolInput;
  readonly fence: Fence;
}

/** How long to wait for other agents' answers, in ms; 0 where nobody is waited for. */
export interface AskVerdict {
  readonly waitMs: number;
}

/** Tool calls. */
export function toolActivities(deps: ActivityDeps, implementations: ReadonlyMap<string, ToolImplementation>) {
  const external = externalTool(deps);
  return {
    /** Asks the other agents that a tool call is about. Harmless when repeated: each is asked once. Throws Turn.Fenced. */
    async askAgents(input: ToolInput): Promise<AskVerdict> {
      const fence = { turnId: input.turnId, executionId: currentExecution() };
      const call = await findCall(deps.db, input);
      if (call === undefined) throw fenced();
      const tool = implementationOf(implementations, toolOf(call));
      if (call.effect.state === 'done' || tool?.kind !== 'asking') return { waitMs: 0 };
      return keepingAlive(async () => {
        const started = await startEffect(deps.db, fence, { effectId: call.effect.id, worker: null });
        if (started === undefined) throw fenced();
        await beginAsking(deps.db, call.effect.id);
        await tool.ask({ ...call, threadId: input.threadId, fence });
        return { waitMs: await endAsking(deps.db, call.effect.id) };
      });
    },

    /**
     * Runs one tool call and stores its result in the transcript, once: a call whose result is stored returns it.
     * What the tool does to rows commits with the result. Throws Turn.Fenced.
     */
    async runTool(input: ToolInput): Promise<ToolVerdict> {
      const fence = { turnId: input.turnId, executionId: currentExecution() };
      const call = await findCall(deps.db, input);
      if (call === undefined) throw fenced();
      const { effect, agent } = call;
      if (effect.state === 'done') return { status: effect.status ?? 'error' };
      const run = { ...call, input, fence };
      const tool = implementationOf(implementations, toolOf(call)) ?? external;
      if (input.gaveUp === true) return finish(deps, run, ({ tx }) => giveUp(tx, effect, tool));
      if (tool.kind === 'searching')
        return keepingOn((signals) => search(deps, { ...run, ...signals }, tool));
      if (tool.kind === 'outside')
        return keepingOn((signals) => tryOutside(deps, { ...run, ...signals }, tool));
      return finish(deps, run, (context) => tool.run({ ...context, agent, effect }));
    },
  };
}

function toolOf({ effect, toolType }: PlannedCall): { name: string; toolType: string | null } {
  return { name: effect.call.name, toolType };
}

/** A run that may outlive its place in Temporal. */
interface LongRun extends Run, Signals {}

function search(deps: ActivityDeps, run: LongRun, tool: SearchingTool): Promise<ToolVerdict> {
  return onlyOne(deps, run, async ({ start, signal }) => {
    await start();
    return finish(deps, run, await prepared(deps, run, tool, signal));
  });
}

function tryOutside(deps: ActivityDeps, run: LongRun, tool: OutsideTool): Promise<ToolVerdict> {
  const { agent, effect } = run;
  return onlyOne(deps, run, async ({ start, signal }) =>
    finish(deps, run, await tool.run({ agent, effect, start, signal })),
  );
}

/** The tool's writes; where an embedder refuses for good, a result that says so, because the model can go on. */
async function prepared(
  deps: ActivityDeps,
  { agent, effect, input, fence }: Run,
  tool: SearchingTool,
  signal: AbortSignal,
): Promise<(context: { tx: Tx }) => Promise<ToolOutcome>> {
  const embedder = (): Embedder => deps.embeddings.resolve(agent.embedding);
  try {
    return await tool.prepare({ agent, threadId: input.threadId, effect, embedder, signal, fence });
  } catch (error) {
    if (!(error instanceof WorldFailure) || error.retryable) throw error;
    const message = `${effect.call.name} needs an embedding model, which refused: ${error.message}`;
    return () => Promise.resolve(refused(message));
  }
}

/** Runs the tool's writes and stores its result in one transaction. */
async function finish(
  { db }: ActivityDeps,
  run: Run,
  write: (context: { tx: Tx; thread: Thread }) => Promise<RowsOutcome>,
): Promise<ToolVerdict> {
  return inTransaction(db, async (tx) => {
    const { fence, effect, input } = run;
    const at = { threadId: input.threadId, effectId: effect.id, messageId: effect.resultMessageId };
    const begun = await beginResult(tx, fence, at);
    if (begun.kind === 'fenced') throw fenced();
    if (begun.kind === 'done') return { status: begun.status };
    const { thread } = begun;
    const { result, written } = toResult(thread, run, await write({ tx, thread }));
    await Promise.all([finishEffect(tx, thread, result), written]);
    return { status: result.status };
  });
}

/**
 * Runs a tool that changes rows alone in the caller's transaction, with the thread locked. The caller stores what it
 * returns in the same transaction, which commits once what is being written is written.
 */
export async function runBeside(
  { tx, thread }: { readonly tx: Tx; readonly thread: Thread },
  call: Omit<PlannedCall, 'toolType'>,
  tool: TransactionalTool,
): Promise<WrittenResult> {
  const { effect, agent } = call;
  return toResult(thread, call, await tool.run({ tx, thread, agent, effect }));
}

interface WrittenResult {
  readonly result: CallResult;
  readonly written: Promise<unknown> | undefined;
}

function toResult(
  thread: Thread,
  { effect, returnLimit }: Omit<PlannedCall, 'toolType'>,
  outcome: RowsOutcome,
): WrittenResult {
  const { ok, message: words, written, ...streams } = outcome;
  // Its failure is told to whoever waits for it; what follows may fail before.
  written?.catch(() => undefined);
  const status = ok ? 'success' : 'error';
  const content = limitOutput(words, returnLimit ?? Infinity);
  const message = toolResultMessage(thread, effect, { status, content, ...streams });
  return { result: { effectId: effect.id, message, status }, written };
}

async function giveUp(tx: Tx, { id, call }: Effect, tool: ToolImplementation): Promise<ToolOutcome> {
  if (tool.kind === 'asking') await stopWaiting(tx, id);
  return tool.kind === 'transactional'
    ? refused(`${call.name} failed on the server's side, and nothing was changed. Do without it.`)
    : refused(`${call.name} did not finish in time. Whether it took effect is unknown.`);
}
