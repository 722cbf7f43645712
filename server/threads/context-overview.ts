import { loopStyle } from '../../core/agents/agents.js';
import { compilePrefix } from '../../core/threads/context.js';
import type { ModelRequest } from '../../core/turns/model.js';
import type { Message } from '../../core/threads/messages.js';
import { toolsOffered } from '../../core/tools/offered-tools.js';
import { toModelMessages } from '../../core/threads/model-messages.js';
import { requestSize } from '../../core/threads/request-size.js';
import { windowOf } from '../../core/threads/context-window.js';
import { AgentNotFoundError } from '../../schema/agents/errors.js';
import { ClashError } from '../../schema/db/errors.js';
import { fingerprintOf } from '../../schema/threads/epoch-fingerprint.js';
import { type Epoch, attachedBlocks, currentEpoch } from '../../schema/threads/epochs.js';
import { type LoopAgent, loadLoopAgent } from '../../schema/turns/loop-agent.js';
import { loadQueue } from '../../schema/threads/messages.js';
import { loadPromptSources } from '../../schema/threads/prompt-sources.js';
import { lastMeasured } from '../../schema/turns/steps.js';
import { readThread, type Thread } from '../../schema/threads/threads.js';
import { latestTurnId } from '../../schema/turns/turns.js';
import type { ServerDeps } from '../deps.js';

/** What a thread's next request to its model would be, if it began now. */
export interface ThreadContext {
  readonly agent: LoopAgent;
  readonly thread: Thread;
  readonly prefix: string;
  /** The message queue. */
  readonly queue: readonly Message[];
  readonly request: Pick<ModelRequest, 'messages' | 'tools'>;
  /** Tokens of the request, counted as a turn counts them. */
  readonly tokens: number;
  /** Tokens that it may have at most. */
  readonly window: number;
}

/** An extension compiles the prompt, which it does in workers alone, and there is none that holds. */
export class PromptUnknownError extends ClashError {
  readonly extension: string;

  constructor(extension: string) {
    super(
      `The agent's extension '${extension}' compiles its prompt at the next step, and it is not known before. Send the agent a message, then ask for its context.`,
    );
    this.extension = extension;
  }
}

interface NamedThread {
  readonly agentId: string;
  readonly threadId: string;
}

/**
 * The context of a thread as its model has it: with the prefix of its epoch, or one compiled now where it is in none that
 * holds. What changed outside since the last step comes as a notice of the next one. Throws AgentNotFoundError, and
 * PromptUnknownError where a worker alone can tell the prefix.
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
 * The epoch that a thread is in, with the agent that it was made for: the one that is stored, or as its latest turn had it,
 * with the tools that the turn's sender brought. Undefined where a step would begin another one.
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
 * The prompt that a thread's next epoch would begin with, if it began now. Throws AgentNotFoundError, and
 * PromptUnknownError where a worker alone can tell it.
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

/** Refuses to guess a prompt that an extension compiles: extensions compute in workers alone. */
function refuseOwnPrompt(
  extensions: ServerDeps['extensions'],
  { extension }: Pick<LoopAgent, 'extension'>,
): void {
  if (extension === null) return;
  if (extensions.find(({ name }) => name === extension)?.compiles === false) return;
  throw new PromptUnknownError(extension);
}
