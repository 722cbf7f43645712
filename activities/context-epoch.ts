import { createHash } from 'node:crypto';
import { loopStyle } from '../core/agents.js';
import { compilePrefix, noticeOfChange, noticeOfFigures } from '../core/context.js';
import { derivedId } from '../core/ids.js';
import type { ToolSchema } from '../core/model.js';
import { terminalTools } from '../core/tool-rules.js';
import { offeredSchemas } from '../core/tools.js';
import type { Tx } from '../schema/database.js';
import {
  countMemory,
  currentEpoch,
  type Epoch,
  markSeen,
  type StaleBlock,
  staleBlocks,
  startEpoch,
  tellEpochFigures,
} from '../schema/epochs.js';
import { readSummary } from '../schema/evictions.js';
import { type LoopAgent, loadPrefixBlocks } from '../schema/loop-agent.js';
import type { MemoryFigures } from '../schema/records.js';
import type { Thread } from '../schema/threads.js';
import { appendToTranscript } from '../schema/transcript.js';
import { messageOf, type StepInput } from './step-input.js';

/** The thread's memory as its step finds it. */
export interface FoundMemory {
  readonly epoch: Epoch | undefined;
  readonly stale: readonly StaleBlock[];
  /** Counted once a turn, before its first step. */
  readonly figures: MemoryFigures | undefined;
}

/** Reads all that `ensureEpoch` decides by, in one go. */
export async function findMemory(tx: Tx, input: StepInput): Promise<FoundMemory> {
  const thread = { id: input.threadId, agentId: input.agentId };
  const [epoch, stale, figures] = await Promise.all([
    currentEpoch(tx, thread.id),
    staleBlocks(tx, thread),
    input.index > 0 ? undefined : countMemory(tx, thread),
  ]);
  return { epoch, stale, figures };
}

/**
 * The thread's context epoch. Within one the prefix stays byte-identical, so that a provider's cache holds: blocks
 * that others changed meanwhile are appended as notices. Changed instructions, tools or rules begin a new one, and
 * so does an eviction. Both happen in the caller's transaction, with the thread locked.
 */
export async function ensureEpoch(
  tx: Tx,
  thread: Thread,
  agent: LoopAgent,
  input: StepInput,
  memory: FoundMemory,
): Promise<{ thread: Thread; epoch: Epoch }> {
  const fingerprint = fingerprintOf(agent);
  const { epoch: current, stale, figures } = memory;
  if (current?.fingerprint === fingerprint) {
    const told = await tellChanges(tx, thread, stale, input);
    const isTold = figures === undefined || figures.archivalPassages === current.figures.archivalPassages;
    return {
      thread: isTold ? told : await tellFigures(tx, told, { epoch: current, figures, input }),
      epoch: current,
    };
  }
  const epoch = await renderEpoch(tx, thread, agent, { input, fingerprint });
  return { thread: { ...thread, epochId: epoch.id }, epoch };
}

async function tellChanges(
  tx: Tx,
  thread: Thread,
  changed: readonly StaleBlock[],
  input: StepInput,
): Promise<Thread> {
  if (changed.length === 0) return thread;
  const notices = changed.map(({ blockId, label, revision, value, seenValue }) =>
    messageOf(input, derivedId('message', input.turnId, input.index, 'notice', blockId, revision), {
      kind: 'notice',
      text: noticeOfChange({ label, before: seenValue ?? '', after: value, by: 'somebody else' }),
    }),
  );
  const moved = await appendToTranscript(tx, thread, notices);
  await markSeen(tx, thread.id, changed);
  return moved;
}

/** Once a turn: passages that came or went since the agent was last told. */
async function tellFigures(
  tx: Tx,
  thread: Thread,
  { epoch, figures, input }: { epoch: Epoch; figures: MemoryFigures; input: StepInput },
): Promise<Thread> {
  const id = derivedId('message', input.turnId, input.index, 'figures', figures.archivalPassages);
  const notice = messageOf(input, id, { kind: 'notice', text: noticeOfFigures(figures) });
  const moved = await appendToTranscript(tx, thread, [notice]);
  await tellEpochFigures(tx, epoch.id, figures);
  return moved;
}

async function renderEpoch(
  tx: Tx,
  thread: Thread,
  agent: LoopAgent,
  { input, fingerprint }: { input: StepInput; fingerprint: string },
): Promise<Epoch> {
  const blocks = await loadPrefixBlocks(tx, agent.id);
  const figures = await countMemory(tx, thread);
  const summary = await readSummary(tx, thread);
  const epoch: Epoch = {
    id: derivedId('epoch', input.turnId, input.index, thread.queueStart, fingerprint),
    prefix: compilePrefix({
      agentId: agent.id,
      threadId: thread.id,
      instructions: agent.system,
      blocks,
      figures,
      toolRules: agent.toolRules,
      summary: summary === '' ? null : summary,
      compiledAt: new Date(),
      timezone: agent.timezone,
    }),
    tools: offered(agent),
    fingerprint,
    figures,
  };
  await startEpoch(tx, thread.id, epoch, blocks);
  return epoch;
}

/** The tools as the model is offered them, all of them: rules narrow them step by step. */
function offered(agent: LoopAgent): readonly ToolSchema[] {
  const style = loopStyle(agent.agentType);
  return offeredSchemas(
    agent.tools.map((tool) => tool.schema),
    {
      style,
      injectThinking: style === 'tools' && agent.modelSettings.reasoningEffort === undefined,
      terminal: terminalTools(agent.toolRules),
    },
  );
}

function fingerprintOf(agent: LoopAgent): string {
  const parts = [
    agent.system,
    agent.agentType,
    agent.timezone,
    agent.toolRules,
    agent.modelSettings.reasoningEffort,
    agent.tools.map((tool) => tool.schema),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
