import { ApplicationFailure } from '@temporalio/common';
import { WorldFailure } from '../../core/failures.js';
import { limitOutput } from '../../core/tools/output.js';
import { inTransaction, type Tx } from '../../schema/db/database.js';
import { beginAsking, endAsking, stopWaiting } from '../../schema/turns/edges.js';
import {
  type CallResult,
  findCall,
  type PlannedCall,
  startEffect,
  storeResult,
} from '../../schema/turns/effects.js';
import type { Fence } from '../../schema/turns/fences.js';
import { lastStatements } from '../../schema/db/last-statements.js';
import type { Effect } from '../../schema/turns/records.js';
import { lockThread, type Thread } from '../../schema/threads/threads.js';
import { toolResultMessage } from '../../schema/turns/tool-results.js';
import type { ActivityDeps, Embedder } from '../deps.js';
import { fenced } from '../failures.js';
import { currentExecution, keepingAlive } from '../keep-alive.js';
import { externalTool } from './external.js';
import { implementationOf } from './implementations.js';
import { refused, type SearchingTool, type ToolImplementation, type ToolOutcome } from './outcome.js';

/** A tool call, as the workflow asks for it. */
export interface ToolInput {
  readonly threadId: string;
  readonly turnId: string;
  readonly agentId: string;
  readonly effectId: string;
  /** Whether Temporal gave it up, so that the result must say so. */
  readonly gaveUp?: boolean;
}

export interface ToolVerdict {
  readonly status: 'success' | 'error';
}

/** How long to wait for other agents' answers, in ms; 0: don't wait. */
export interface AskVerdict {
  readonly waitMs: number;
}

/** The writes of a call, in the transaction that stores its result. */
type Writes = (context: { tx: Tx; thread: Thread }) => Promise<ToolOutcome>;

/** Tool calls. */
export function toolActivities(deps: ActivityDeps, implementations: ReadonlyMap<string, ToolImplementation>) {
  const external = externalTool(deps);
  const toolOf = ({ effect, toolType }: PlannedCall): ToolImplementation =>
    implementationOf(implementations, { name: effect.call.name, toolType }) ?? external;

  const runTool = async (input: ToolInput): Promise<ToolVerdict> => {
    const found = await storeCall(deps, input, (call) => writesAlone(toolOf(call), call, input));
    if (!('effect' in found)) return found;
    return keepingAlive(async (signal) => {
      const writes = await runInWorld(deps, toolOf(found), { ...found, input, signal });
      const stored = await storeCall(deps, input, () => writes);
      return 'effect' in stored ? { status: 'error' } : stored;
    });
  };

  return {
    /** Asks the other agents of a tool call, each once, however often this is repeated. Throws Turn.Fenced. */
    async askAgents(input: ToolInput): Promise<AskVerdict> {
      const fence = fenceOf(input);
      const call = await findCall(deps.db, fence, input);
      if (call === undefined) throw fenced();
      const tool = toolOf(call);
      if (call.effect.state === 'done' || tool.kind !== 'asking') return { waitMs: 0 };
      return keepingAlive(async () => {
        if ((await startEffect(deps.db, fence, call.effect.id)) === undefined) throw fenced();
        await beginAsking(deps.db, call.effect.id);
        await tool.ask({ ...call, threadId: input.threadId, fence });
        return { waitMs: await endAsking(deps.db, call.effect.id) };
      });
    },

    /**
     * Runs one tool call and stores its result in the transcript, once. A stored result is returned. The tool's
     * changes of rows commit with the result. Throws Turn.Fenced.
     */
    runTool,

    /**
     * The same as `runTool`, for tools that write core memory: a separate activity type, so that the Temporal UI
     * shows which.
     */
    editBlock: runTool,
  };
}

function fenceOf({ turnId }: ToolInput): Fence {
  return { turnId, executionId: currentExecution() };
}

/**
 * Locks the thread, reads the call and, where `toWrites` gives its writes, runs them and stores the result, in one
 * transaction. Returns the stored verdict, or the call where there are no writes yet. Throws Turn.Fenced.
 */
async function storeCall(
  { db }: Pick<ActivityDeps, 'db'>,
  input: ToolInput,
  toWrites: (call: PlannedCall) => Writes | undefined,
): Promise<ToolVerdict | PlannedCall> {
  const fence = fenceOf(input);
  return inTransaction<ToolVerdict | PlannedCall>(db, async (tx) => {
    // Run in this order: the fence is checked with the thread locked, so it holds until the commit.
    const [thread, call] = await Promise.all([lockThread(tx, input.threadId), findCall(tx, fence, input)]);
    if (thread === undefined || call === undefined) throw fenced();
    if (call.effect.state === 'done') return { status: call.effect.status ?? 'error' };
    const writes = toWrites(call);
    if (writes === undefined) return call;
    if (!call.isOurs) throw fenced();
    const result = toResult(thread, call, await writes({ tx, thread }));
    const { status } = result;
    return lastStatements(storeResult(tx, fence, { thread, result }).then(() => ({ status })));
  });
}

/** The writes of a call that only needs rows. Undefined where its tool needs the world first. */
function writesAlone(
  tool: ToolImplementation,
  { effect, agent }: PlannedCall,
  { gaveUp }: ToolInput,
): Writes | undefined {
  if (gaveUp === true) return ({ tx }) => giveUp(tx, effect, tool);
  switch (tool.kind) {
    case 'transactional':
    case 'asking':
      return (context) => tool.run({ ...context, agent, effect });
    case 'searching':
    case 'outside':
      return undefined;
  }
}

interface WorldRun extends PlannedCall {
  readonly input: ToolInput;
  readonly signal: AbortSignal;
}

/** Does what the call needs outside of the database, without a transaction. Returns the writes that follow. */
async function runInWorld(deps: ActivityDeps, tool: ToolImplementation, run: WorldRun): Promise<Writes> {
  const { agent, effect, signal } = run;
  switch (tool.kind) {
    case 'searching':
      return search(deps, tool, run);
    case 'outside':
      return tool.run({ agent, effect, signal, start: () => start(deps, run) });
    case 'transactional':
    case 'asking':
      throw new Error(`${effect.call.name} needs nothing of the world.`);
  }
}

/**
 * Records that the tool is about to run. Returns the effect's earlier state: `started` where an earlier try broke
 * off.
 */
async function start({ db }: ActivityDeps, { input, effect }: WorldRun): Promise<Effect['state']> {
  const found = await startEffect(db, fenceOf(input), effect.id);
  if (found === undefined) throw fenced();
  if (found.before !== 'done') return found.before;
  // An earlier attempt was slow, not dead. The next attempt returns its result.
  throw ApplicationFailure.create({ type: 'Effect.StoredMeanwhile', message: 'The result is stored.' });
}

/** The tool's writes. If an embedder refuses permanently, a result that says so, because the model can go on. */
async function search(
  { embeddings }: ActivityDeps,
  tool: SearchingTool,
  { agent, effect, input, signal }: WorldRun,
): Promise<Writes> {
  const embedder = (): Embedder => embeddings.resolve(agent.embedding);
  const { threadId } = input;
  try {
    return await tool.prepare({ agent, threadId, effect, embedder, signal, fence: fenceOf(input) });
  } catch (error) {
    if (!(error instanceof WorldFailure) || error.retryable) throw error;
    const message = `${effect.call.name} needs an embedding model, which refused: ${error.message}`;
    return () => Promise.resolve(refused(message));
  }
}

function toResult(thread: Thread, { effect, returnLimit }: PlannedCall, outcome: ToolOutcome): CallResult {
  const { ok, message: words, ...streams } = outcome;
  const status = ok ? 'success' : 'error';
  const content = limitOutput(words, returnLimit ?? Infinity);
  const message = toolResultMessage(thread, effect, { status, content, ...streams });
  return { effectId: effect.id, message, status };
}

async function giveUp(tx: Tx, { id, call }: Effect, tool: ToolImplementation): Promise<ToolOutcome> {
  if (tool.kind === 'asking') await stopWaiting(tx, id);
  return tool.kind === 'transactional'
    ? refused(`${call.name} failed on the server's side, and nothing was changed. Do without it.`)
    : refused(`${call.name} did not finish in time. Whether it took effect is unknown.`);
}
