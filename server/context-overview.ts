import { loopStyle } from '../core/agents.js';
import { compilePrefix } from '../core/context.js';
import type { ModelRequest } from '../core/model.js';
import type { Message } from '../core/messages.js';
import { toolsOffered } from '../core/offered-tools.js';
import { toModelMessages } from '../core/packing.js';
import { requestSize } from '../core/request-size.js';
import { windowOf } from '../core/window.js';
import { AgentNotFoundError } from '../schema/agent-errors.js';
import { type Epoch, currentEpoch } from '../schema/epochs.js';
import { type LoopAgent, loadLoopAgent } from '../schema/loop-agent.js';
import { loadQueue } from '../schema/messages.js';
import { loadPrefixInput } from '../schema/prefix-input.js';
import { lastCallSize } from '../schema/steps.js';
import { readThread, type Thread } from '../schema/threads.js';
import type { ServerDeps } from './deps.js';

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

interface NamedThread {
  readonly agentId: string;
  readonly threadId: string;
}

/**
 * The context of a thread as its model has it: with the prefix of its epoch, or one compiled now where it is in none. What
 * changed outside since the last step comes as a notice of the next one. Throws AgentNotFoundError.
 */
export async function readContext(deps: ServerDeps, named: NamedThread): Promise<ThreadContext> {
  const { db, models } = deps;
  const { agent, thread } = await loadThread(deps, named);
  const [epoch, queue] = await Promise.all([currentEpoch(db, thread.id), loadQueue(db, thread.id)]);
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
    }),
    window: windowOf({ described, limit: agent.contextWindow, learned, model: agent.model }),
  };
}

/** The prompt that a thread's next epoch would begin with, if it began now. Throws AgentNotFoundError. */
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

async function compile({ db }: ServerDeps, thread: Thread, agent: LoopAgent): Promise<string> {
  return compilePrefix({ ...(await loadPrefixInput(db, thread, agent)), compiledAt: new Date() });
}

async function measuredIn({ db }: ServerDeps, thread: Thread, epoch: Epoch | undefined) {
  return epoch === undefined ? undefined : lastCallSize(db, thread.id);
}
