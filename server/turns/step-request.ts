import { toChatRequest } from '../../adapters/models/chat-request.js';
import { loopStyle } from '../../core/agents/agents.js';
import { toolsAllowed, toolsOffered } from '../../core/tools/offered-tools.js';
import { compilePrefix } from '../../core/threads/context.js';
import { toModelMessages } from '../../core/threads/model-messages.js';
import { AgentNotFoundError } from '../../schema/agents/errors.js';
import { blocksAt, valueOfBlockAt } from '../../schema/past/block-copies.js';
import { loadPromptSources } from '../../schema/threads/prompt-sources.js';
import { readThread } from '../../schema/threads/threads.js';
import { type LoopAgent, loadLoopAgent } from '../../schema/threads/loop-agent.js';
import type { Step } from '../../schema/turns/records.js';
import { findStepSources, type StepSources, type StoredPrompt } from '../../schema/turns/step-sources.js';
import { turnCalls } from '../../schema/turns/steps.js';
import type { ServerDeps } from '../deps.js';
import { refuseOwnPrompt } from '../threads/context-overview.js';

/** The request of a past step, and how far it is sure to be the one that was sent. */
export interface StepRequest {
  readonly sources: StepSources;
  readonly request: Readonly<Record<string, unknown>>;
}

/**
 * Compiles a step's request again from the rows that it was made of: its epoch's prompt and tools, the queue as it was
 * then, the tool rules after the calls before it. Where the epoch's row is gone, the prompt is compiled from the blocks
 * and the summary as they were when it began, and from the agent as it is now. Throws PromptUnknownError where an
 * extension compiled that prompt.
 */
export async function compileStepRequest(deps: ServerDeps, step: Step): Promise<StepRequest> {
  const { db, models } = deps;
  const [agent, sources, calls] = await Promise.all([
    loadLoopAgent(db, step),
    findStepSources(db, step),
    turnCalls(db, step.turnId, step.index),
  ]);
  if (agent === undefined) throw new AgentNotFoundError(step.agentId);
  const { prefix, tools } = sources.prompt ?? (await compileAgain(deps, { agent, step, sources }));
  const { model, provider } = models.describe(step.model);
  const request = toChatRequest(
    model,
    {
      messages: [
        { role: 'system', content: prefix },
        ...toModelMessages(sources.queue, loopStyle(agent.agentType), agent.timezone),
      ],
      ...toolsAllowed(agent, tools, calls),
      settings: agent.modelSettings,
    },
    provider === 'openai',
  );
  return { sources, request: { ...request } };
}

async function compileAgain(
  { db, extensions }: ServerDeps,
  past: { readonly agent: LoopAgent; readonly step: Step; readonly sources: StepSources },
): Promise<StoredPrompt> {
  const { agent, step, sources } = past;
  refuseOwnPrompt(extensions, agent);
  const thread = await readThread(db, step.threadId);
  if (thread === undefined) throw new AgentNotFoundError(step.agentId);
  const moment = { time: sources.epochBegan };
  const { summaryBlockId } = sources;
  const [now, blocks, summary] = await Promise.all([
    loadPromptSources(db, thread, agent),
    blocksAt(db, agent.id, moment),
    summaryBlockId === null ? null : valueOfBlockAt(db, summaryBlockId, moment),
  ]);
  const then = blocks.map((block) => ({ ...block, readOnly: block.readOnly || block.attachedReadOnly }));
  const compiledAt = new Date(sources.epochBegan);
  return {
    prefix: compilePrefix({ ...now, blocks: then, summary, compiledAt }),
    tools: toolsOffered(agent),
  };
}
