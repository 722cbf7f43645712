import { toAgentState } from '../../adapters/custom-tools/agent-state.js';
import { redactEnd, type ToolEnd } from '../../adapters/custom-tools/tool-end.js';
import type { RunnableTool, ToolRun } from '../../adapters/custom-tools/tool-runner.js';
import type { ToolRequirement } from '../../core/tools/custom-tools.js';
import { agentVariables } from '../../schema/agents/variables.js';
import { takeAgentSnapshot } from '../../schema/tools/agent-snapshots.js';
import { inTransaction } from '../../schema/db/database.js';
import { ToolNotFoundError } from '../../schema/tools/errors.js';
import { saveToolChanges } from '../../schema/tools/tool-changes.js';
import { issueToolToken, revokeToolToken } from '../../schema/tools/tokens.js';
import type { Tool } from '../../schema/tools/tools.js';
import type { ServerDeps } from '../deps.js';
import { runMemoryTool } from './memory-tool-runs.js';
import { RequestRefusedError } from '../http/problems.js';
import { defineTool, type SentTool } from './tool-definitions.js';
import { refuseSource } from './custom-tools.js';

/** How long a token for a run over REST is valid, in ms: longer than any tool may run. */
const tokenMs = 3_600_000;

/**
 * Runs a custom tool or a memory tool of an agent outside of a turn, as the agent would. Changes of `agent_state` are
 * written back. Throws AgentNotFoundError, ToolNotFoundError and RequestRefusedError.
 */
export async function runAgentTool(
  { db, tools, vault }: ServerDeps,
  run: {
    readonly agentId: string;
    readonly toolName: string;
    readonly args: Readonly<Record<string, unknown>>;
  },
): Promise<ToolEnd> {
  const snapshot = await takeAgentSnapshot(db, { agentId: run.agentId, turnId: null });
  const tool = snapshot.tools.find(({ name }) => name === run.toolName);
  if (tool === undefined) throw new ToolNotFoundError([run.toolName]);
  const edited = await runMemoryTool(db, { agentId: run.agentId, tool, args: run.args });
  if (edited !== undefined) return edited;
  // Tools that are activities need an effect's id, and only calls in turns have one.
  if (tool.toolType !== 'custom' || tool.sourceType === 'temporal') {
    throw new RequestRefusedError(
      400,
      `Tool '${tool.name}' only runs within turns. Ask the agent to call it. Custom tools and tools that edit memory blocks can be run here.`,
    );
  }
  const secrets = agentVariables(snapshot.agent, vault);
  const caller = { agentId: run.agentId, turnId: null, stepId: null, toolCallId: null, effectId: null };
  const token = await issueToolToken(db, caller, tokenMs);
  try {
    const ran = await runPrepared(
      tools,
      { ...tool, parameters: parametersOf(tool) },
      {
        arguments: run.args,
        environment: { ...secrets, LETTA_AGENT_ID: run.agentId },
        agent: toAgentState(snapshot, secrets),
        token,
      },
    );
    const end = redactEnd(ran, secrets);
    const changes = {
      snapshot,
      values: end.blocks,
      author: { actor: 'tool' as const, agentId: run.agentId },
    };
    const faults = await inTransaction(db, (tx) => saveToolChanges(tx, changes));
    return faults.length === 0 ? end : { ...end, ok: false, message: [end.message, ...faults].join('\n') };
  } finally {
    await revokeToolToken(db, token);
  }
}

/**
 * Runs a tool from its source, without an agent. It reaches no network, not even this server.
 * Throws RequestRefusedError where the source is not a tool or can't be run.
 */
export async function runSource(
  { tools, settings }: ServerDeps,
  { sent, requirements }: { readonly sent: SentTool; readonly requirements: readonly ToolRequirement[] },
  run: {
    readonly args: Readonly<Record<string, unknown>>;
    readonly environment: Readonly<Record<string, string>>;
  },
): Promise<{ readonly name: string; readonly end: ToolEnd }> {
  refuseSource(settings);
  const tool = await defineTool(sent);
  const { name } = tool.schema;
  const end = await runPrepared(
    tools,
    { ...tool, name, requirements, parameters: parametersOf(tool) },
    { arguments: run.args, environment: run.environment, agent: null, token: null },
  );
  return { name, end };
}

async function runPrepared(tools: ServerDeps['tools'], tool: RunnableTool, run: ToolRun): Promise<ToolEnd> {
  const prepared = await tools.prepare(tool);
  if (prepared.kind === 'refused') throw new RequestRefusedError(400, prepared.message);
  return prepared.run(run);
}

function parametersOf({ schema }: Pick<Tool, 'schema'>): readonly string[] {
  return Object.keys(schema.parameters.properties);
}
