import { loopStyle } from '../../core/agents/agents.js';
import { compilePrefix } from '../../core/threads/context.js';
import type { ModelRequest } from '../../core/models/model.js';
import type { Message } from '../../core/threads/messages.js';
import { toolsOffered } from '../../core/tools/offered-tools.js';
import { toModelMessages } from '../../core/threads/model-messages.js';
import { requestSize } from '../../core/threads/request-size.js';
import { windowOf } from '../../core/threads/context-window.js';
import { AgentNotFoundError } from '../../schema/agents/errors.js';
import { ClashError } from '../../schema/db/errors.js';
import { fingerprintOf } from '../../schema/threads/epoch-fingerprint.js';
import { type Epoch, attachedBlocks, currentEpoch } from '../../schema/threads/epochs.js';
import { type LoopAgent, loadLoopAgent } from '../../schema/threads/loop-agent.js';
import { loadQueue } from '../../schema/threads/messages.js';
import { loadPromptSources } from '../../schema/threads/prompt-sources.js';
import { lastMeasured } from '../../schema/turns/steps.js';
import { readThread, type Thread } from '../../schema/threads/threads.js';
import { latestTurnId } from '../../schema/turns/turns.js';
import type { ServerDeps } from '../deps.js';

/** The request that a thread's model would get if a step began now. */
export interface ThreadContext {
  readonly agent: LoopAgent;
  readonly thread: Thread;
  readonly prefix: string;
  /** The message queue. */
  readonly queue: readonly Message[];
  readonly request: Pick<ModelRequest, 'messages' | 'tools'>;
  /** The request's tokens, counted as a turn counts them. */
  readonly tokens: number;
  /** The most tokens that it may have. */
  readonly window: number;
}

/** Thrown where an extension compiles the prompt: only workers run extensions, and no earlier prompt is still valid. */
export class PromptUnknownError extends ClashError {
  readonly extension: string;

  constructor(extension: string) {
    super(
      `The agent's extension '${extension}' compiles the prompt at the next step, so it is not known yet. Send the agent a message, then ask again.`,
    );
    this.extension = extension;
  }
}

interface NamedThread {
  readonly agentId: string;
  readonly threadId: string;
}

/**
 * The context of a thread as its model has it: with the prefix of its epoch, or with one compiled now where no epoch is
 * valid. Changes from outside since the last step are not in it: the next step tells of them in a notice. Throws
 * AgentNotFoundError, and PromptUnknownError where only a worker can compile the prefix.
 */
export async function readContext(deps: ServerDeps, named: NamedThread): Promise<ThreadContext> {
  const { db, models } = deps;
  const { agent: asItIs, thread } = await loadThread(deps, named);
  const [held, queue] = await Promise.all([heldEpoch(deps, thread, asItIs), loadQueue(db, thread.id)]);
  const { agent = asItIs, epoch } = held ?? {};
  const prefix = epoch?.prefix ?? (await compile(deps, thread, agent));
  const style = loopStyle(agent.agentType);
  const request = {
    messages: [
      { role: 'system' as const, content: prefix },
      ...toModelMessages(queue, style, agent.timezone),
    ],
    tools: epoch?.tools ?? toolsOffered(agent),
  };
  const described = models.describe(agent.model).contextWindow;
  const { learned } = thread;
  return {
    ...{ agent, thread, prefix, queue, request },
    tokens: requestSize(request, {
      ...{ messages: queue, style, timezone: agent.timezone },
      measured: await measuredIn(deps, thread, epoch),
    }).tokens,
    window: windowOf({ described, limit: agent.contextWindow, learned, model: agent.model }),
  };
}

interface HeldEpoch {
  readonly agent: LoopAgent;
  readonly epoch: Epoch;
}

/**
 * The thread's epoch, and the agent that it was made for: the stored one, or the agent of the latest turn, which has the
 * tools that the turn's sender brought. Undefined where the next step would begin a new epoch.
 */
async function heldEpoch(
  { db, extensions }: ServerDeps,
  thread: Thread,
  stored: LoopAgent,
): Promise<HeldEpoch | undefined> {
  const [epoch, blocks, turnId] = await Promise.all([
    currentEpoch(db, thread.id),
    attachedBlocks(db, thread),
    latestTurnId(db, thread),
  ]);
  if (epoch === undefined) return undefined;
  const extension = extensions.find(({ name }) => name === stored.extension);
  const holds = (agent: LoopAgent) => epoch.fingerprint === fingerprintOf(agent, blocks, extension);
  if (holds(stored)) return { agent: stored, epoch };
  if (turnId === undefined) return undefined;
  const inTurn = await loadLoopAgent(db, { agentId: thread.agentId, threadId: thread.id, turnId });
  return inTurn !== undefined && holds(inTurn) ? { agent: inTurn, epoch } : undefined;
}

/**
 * The prompt of an epoch that begins now. Throws AgentNotFoundError, and PromptUnknownError where only a worker can
 * compile it.
 */
export async function compilePrompt(deps: ServerDeps, named: NamedThread): Promise<string> {
  const { agent, thread } = await loadThread(deps, named);
  return compile(deps, thread, agent);
}

async function loadThread({ db }: ServerDeps, { agentId, threadId }: NamedThread) {
  const [agent, thread] = await Promise.all([
    loadLoopAgent(db, { agentId, threadId, turnId: '' }),
    readThread(db, threadId),
  ]);
  if (agent === undefined || thread === undefined) throw new AgentNotFoundError(agentId);
  return { agent, thread };
}

async function compile({ db, extensions }: ServerDeps, thread: Thread, agent: LoopAgent): Promise<string> {
  refuseOwnPrompt(extensions, agent);
  return compilePrefix({ ...(await loadPromptSources(db, thread, agent)), compiledAt: new Date() });
}

async function measuredIn({ db }: ServerDeps, thread: Thread, epoch: Epoch | undefined) {
  const measured = await lastMeasured(db, { agentId: thread.agentId, threadId: thread.id });
  return epoch === undefined ? { scale: measured.scale } : measured;
}

/** Throws PromptUnknownError where an extension compiles the prompt: only workers run extensions. */
export function refuseOwnPrompt(
  extensions: ServerDeps['extensions'],
  { extension }: Pick<LoopAgent, 'extension'>,
): void {
  if (extension === null) return;
  if (extensions.find(({ name }) => name === extension)?.compiles === false) return;
  throw new PromptUnknownError(extension);
}
