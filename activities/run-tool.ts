import { WorldFailure } from '../core/failures.js';
import { shortenLongMessage } from '../core/pressure.js';
import { inTransaction, type Tx } from '../schema/database.js';
import { remainingWait } from '../schema/edges.js';
import { beginResult, findCall, finishEffect, type PlannedCall, startEffect } from '../schema/effects.js';
import type { Effect } from '../schema/records.js';
import type { Fence } from '../schema/step-writes.js';
import type { Thread } from '../schema/threads.js';
import { toolResultMessage } from '../schema/tool-results.js';
import type { ActivityDeps, Embedder } from './deps.js';
import { fenced } from './failures.js';
import { currentExecution, keepingAlive } from './keep-alive.js';
import { customTool } from './tools/custom.js';
import { createToolImplementations } from './tools/implementations.js';
import {
  type OutsideTool,
  refused,
  type SearchingTool,
  type ToolImplementation,
  type ToolOutcome,
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
export function toolActivities(
  deps: ActivityDeps,
  implementations: ReadonlyMap<string, ToolImplementation> = createToolImplementations(deps),
) {
  const custom = customTool(deps);
  return {
    /** Asks the other agents that a tool call is about. Harmless when repeated: each is asked once. Throws Turn.Fenced. */
    async askAgents(input: ToolInput): Promise<AskVerdict> {
      const fence = { turnId: input.turnId, executionId: currentExecution() };
      const call = await findCall(deps.db, input);
      if (call === undefined) throw fenced();
      const tool = implementations.get(call.effect.call.name);
      if (call.effect.state === 'done' || tool?.kind !== 'asking') return { waitMs: 0 };
      return keepingAlive(async () => {
        await startEffect(deps.db, call.effect.id);
        await tool.ask({ ...call, threadId: input.threadId, fence });
        return { waitMs: await remainingWait(deps.db, call.effect.id) };
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
      const tool = implementations.get(effect.call.name) ?? custom;
      if (input.gaveUp === true) return finish(deps, run, () => Promise.resolve(unfinished(effect)));
      if (tool.kind === 'searching') return keepingAlive((signal) => search(deps, run, tool, signal));
      if (tool.kind === 'outside') return keepingAlive((signal) => tryOutside(deps, run, tool, signal));
      return finish(deps, run, (context) => tool.run({ ...context, agent, effect }));
    },
  };
}

async function search(
  deps: ActivityDeps,
  run: Run,
  tool: SearchingTool,
  signal: AbortSignal,
): Promise<ToolVerdict> {
  await startEffect(deps.db, run.effect.id);
  const write = await prepared(deps, run, tool, signal);
  return finish(deps, run, write);
}

async function tryOutside(
  deps: ActivityDeps,
  run: Run,
  tool: OutsideTool,
  signal: AbortSignal,
): Promise<ToolVerdict> {
  const { agent, effect } = run;
  const start = () => startEffect(deps.db, effect.id);
  return finish(deps, run, await tool.run({ agent, effect, start, signal }));
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
  write: (context: { tx: Tx; thread: Thread }) => Promise<ToolOutcome>,
): Promise<ToolVerdict> {
  return inTransaction(db, async (tx) => {
    const { fence, effect, input } = run;
    const at = { threadId: input.threadId, effectId: effect.id, messageId: effect.resultMessageId };
    const begun = await beginResult(tx, fence, at);
    if (begun.kind === 'fenced') throw fenced();
    if (begun.kind === 'done') return { status: begun.status };
    const { thread } = begun;
    const outcome = await write({ tx, thread });
    const { ok, message: words, ...streams } = outcome;
    const status = ok ? 'success' : 'error';
    const content = shortenLongMessage(words, run.returnLimit ?? Infinity);
    const message = toolResultMessage(thread, effect, { status, content, ...streams });
    await finishEffect(tx, thread, { effectId: effect.id, message, status });
    return { status };
  });
}

function unfinished(effect: Effect): ToolOutcome {
  return refused(`${effect.call.name} did not finish in time. Whether it took effect is unknown.`);
}
