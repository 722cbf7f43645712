import { randomUUID } from 'node:crypto';
import { type AgentRequest, completeAgent } from '../../client/agents.js';
import { ensurePartner } from '../../client/sleep-time-partners.js';
import { type Agent, type AgentType, loopStyle } from '../../core/agents/agents.js';
import type { ClientGeneration } from '../../core/blocks/operations.js';
import type { Message, MessageBody } from '../../core/threads/messages.js';
import { multiAgentTools } from '../../core/tools/tools.js';
import { createAgent, type NewAgent } from '../../schema/agents/creation.js';
import { sealVariables } from '../../schema/agents/variables.js';
import { inTransaction } from '../../schema/db/database.js';
import { lockThread } from '../../schema/threads/threads.js';
import { appendToTranscript } from '../../schema/threads/transcript.js';
import { checkExtension } from './extension-choice.js';
import { randomAgentName } from './agent-names.js';
import type { ServerDeps } from '../deps.js';
import { chooseEmbedding, chooseModel } from '../models/model-choice.js';
import { openSourceFiles } from '../files/open-files.js';
import { type CreateAgentBody, keptAgentFields } from './agent-requests-wire.js';
import { fromCreateBlock } from '../blocks/blocks-wire.js';
import { fromSendBody } from '../threads/message-requests-wire.js';
import { fromModelSettings } from '../models/model-configs-wire.js';
import { fromWireToolRules } from './tool-rules-wire.js';

/** Defaults that depend on the client that sent the request. */
export interface ClientDefaults {
  readonly agentType: AgentType;
  readonly generation: ClientGeneration;
  /** The agent whose running tool sent the request. */
  readonly madeBy?: string | undefined;
}

/**
 * Creates the agent that a request describes, with the defaults of the client that sent it.
 * Throws RequestRefusedError, WorldFailure 'Model.NotConfigured', and what `createAgent` throws.
 */
export async function createRequestedAgent(
  deps: ServerDeps,
  body: CreateAgentBody,
  defaults: ClientDefaults,
): Promise<Agent> {
  const input = await toNewAgent(deps, body, defaults);
  const messages = fromSendBody({ messages: body.initial_message_sequence ?? [] });
  return inTransaction(deps.db, async (tx) => {
    const agent = await createAgent(tx, input);
    if (input.sourceIds?.length) await openSourceFiles(deps, tx, agent.id);
    if (body.enable_sleeptime === true) await ensurePartner(tx, agent);
    if (messages.length === 0) return agent;
    const thread = await lockThread(tx, agent.id);
    if (thread === undefined) throw new Error(`new agent ${agent.id} has no thread`);
    await appendToTranscript(
      tx,
      thread,
      messages.map((message) => toFirstMessage(agent, message)),
    );
    return agent;
  });
}

async function toNewAgent(
  deps: ServerDeps,
  body: CreateAgentBody,
  defaults: ClientDefaults,
): Promise<NewAgent> {
  const embedding = chooseEmbedding(deps, body);
  const id = `agent-${randomUUID()}`;
  const request: AgentRequest = {
    id,
    name: body.name ?? randomAgentName(),
    agentType: body.agent_type ?? defaults.agentType,
    system: body.system ?? undefined,
    description: body.description ?? null,
    metadata: checkExtension(deps, body.metadata) ?? {},
    model: chooseModel(deps, body),
    embedding,
    contextWindow: body.context_window_limit ?? body.llm_config?.context_window ?? null,
    modelSettings: fromModelSettings({
      settings: body.model_settings,
      llmConfig: body.llm_config,
      maxTokens: body.max_tokens,
      parallelToolCalls: body.parallel_tool_calls,
      responseFormat: body.response_format,
    }),
    toolRules: fromWireToolRules(body.tool_rules ?? []),
    includeBaseTools: body.include_base_tools ?? true,
    includeBaseToolRules: body.include_base_tool_rules ?? true,
    enableSleeptime: body.enable_sleeptime ?? false,
    tags: body.tags ?? [],
    timezone: body.timezone ?? 'UTC',
    extras: sealVariables(deps.vault, id, { extras: keptAgentFields(body) }),
    blocks: (body.memory_blocks ?? []).map((block) => fromCreateBlock(block, defaults.generation)),
    blockIds: body.block_ids ?? [],
    toolNames: [
      ...(body.tools ?? []),
      ...(body.include_multi_agent_tools === true ? multiAgentTools.map((tool) => tool.name) : []),
    ],
    toolIds: body.tool_ids ?? [],
    identityIds: body.identity_ids ?? [],
    madeBy: defaults.madeBy,
    sourceIds: [...new Set([...(body.source_ids ?? []), ...(body.folder_ids ?? [])])],
  };
  return completeAgent(deps.db, request, { ...defaults, embedding });
}

type Outgoing = ReturnType<typeof fromSendBody>[number];

function toFirstMessage(agent: Agent, message: Outgoing): Message {
  return {
    id: `message-${randomUUID()}`,
    agentId: agent.id,
    threadId: agent.id,
    turnId: null,
    stepId: null,
    position: null,
    createdAt: agent.createdAt,
    otid: message.otid ?? null,
    senderId: message.senderId ?? null,
    body: toFirstBody(agent, message),
  };
}

function toFirstBody(agent: Agent, message: Outgoing): MessageBody {
  const content =
    typeof message.content === 'string'
      ? [{ type: 'text' as const, text: message.content }]
      : message.content;
  if (message.role !== 'assistant') {
    return { kind: message.role, content, ...(message.name === undefined ? {} : { name: message.name }) };
  }
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return {
    kind: 'assistant',
    // A MemGPT agent speaks by a tool: its plain text reads as thoughts.
    text: loopStyle(agent.agentType) === 'native' ? text : '',
    reasoning: '',
    nativeReasoning: false,
    toolCalls:
      loopStyle(agent.agentType) === 'native'
        ? []
        : [
            {
              id: `call_${randomUUID()}`,
              name: 'send_message',
              arguments: JSON.stringify({ message: text }),
            },
          ],
  };
}
