import { toAgentState } from '../../adapters/custom-tools/agent-state.js';
import type { RunnableTool } from '../../adapters/custom-tools/tool-runner.js';
import { redactEnd, type ToolEnd } from '../../adapters/custom-tools/tool-end.js';
import { agentVariables } from '../../schema/agents/variables.js';
import { type AgentSnapshot, takeAgentSnapshot } from '../../schema/tools/agent-snapshots.js';
import type { Tx } from '../../schema/db/database.js';
import type { Effect } from '../../schema/turns/records.js';
import { saveToolChanges } from '../../schema/tools/tool-changes.js';
import { issueToolToken, revokeToolToken } from '../../schema/tools/tokens.js';
import type { ActivityDeps } from '../deps.js';
import { type OutsideTool, refused, type ToolOutcome } from './outcome.js';

/** A tool with this tag may run again after a crash: it uses PERDURE_EFFECT_ID as its idempotency key. */
const repeatable = 'idempotent';

/**
 * Runs a tool with a user's own source. After a crash its effect on the world is unknown, so it does not run again
 * unless its tag allows it. What it changes in `agent_state` commits with its result.
 */
export function customTool(deps: ActivityDeps): OutsideTool {
  return {
    kind: 'outside',
    async run(run) {
      const snapshot = await takeAgentSnapshot(deps.db, {
        ...{ agentId: run.agent.id, turnId: run.effect.turnId },
      });
      const tool = snapshot.tools.find(({ name }) => name === run.effect.call.name);
      if (tool?.toolType !== 'custom') return settled(noImplementation(run.effect));
      const source = { ...tool, parameters: Object.keys(tool.schema.parameters.properties) };
      const isRepeatable = tool.tags.includes(repeatable);
      return runSource(deps, run, { snapshot, source, isRepeatable, writtenBy: 'user' });
    },
  };
}

/** Source that an agent runs, with the agent as the source sees it. */
interface Sourced {
  readonly snapshot: AgentSnapshot;
  readonly source: RunnableTool;
  /** Whether it may run again after a crash. */
  readonly isRepeatable: boolean;
  /** Code that a model wrote gets no secrets and a weaker token, because anybody may have made the model write it. */
  readonly writtenBy: 'user' | 'model';
}

/** Runs source in the sandbox for the agent, once: with its variables, its memory, and a token for this server. */
export async function runSource(
  { db, vault, tools, toolTimeoutMs }: Pick<ActivityDeps, 'db' | 'vault' | 'tools' | 'toolTimeoutMs'>,
  { agent, effect, start, signal }: Parameters<OutsideTool['run']>[0],
  { snapshot, source, isRepeatable, writtenBy }: Sourced,
): ReturnType<OutsideTool['run']> {
  const prepared = await tools.prepare(source);
  if (prepared.kind === 'refused') return settled(refused(prepared.message));
  const secrets = writtenBy === 'user' ? agentVariables(snapshot.agent, vault) : {};
  const caller = { ...callerOf(agent.id, effect), ...(writtenBy === 'model' ? { writtenBy } : {}) };
  const token = await issueToolToken(db, caller, toolTimeoutMs);
  try {
    const before = await start();
    if (before === 'started' && !isRepeatable) return settled(unknownOutcome(effect));
    const ran = await prepared.run({
      arguments: effect.arguments,
      environment: { ...secrets, ...ownVariables(agent.id, effect) },
      agent: toAgentState(snapshot, secrets),
      token,
      signal,
    });
    const end = redactEnd(ran, secrets);
    return ({ tx }) => keepChanges(tx, end, { snapshot, effect });
  } finally {
    await revokeToolToken(db, token);
  }
}

function settled(outcome: ToolOutcome): () => Promise<ToolOutcome> {
  return () => Promise.resolve(outcome);
}

function callerOf(agentId: string, effect: Effect) {
  const { turnId, stepId, id: effectId, call } = effect;
  return { agentId, turnId, stepId, toolCallId: call.id, effectId };
}

function ownVariables(agentId: string, effect: Effect): Record<string, string> {
  return {
    LETTA_AGENT_ID: agentId,
    PERDURE_RUN_ID: effect.turnId,
    PERDURE_STEP_ID: effect.stepId,
    PERDURE_TOOL_CALL_ID: effect.call.id,
    PERDURE_EFFECT_ID: effect.id,
  };
}

/** Writes back the tool's changes of the agent's memory. The result names those that failed. */
async function keepChanges(
  tx: Tx,
  end: ToolEnd,
  { snapshot, effect }: { readonly snapshot: AgentSnapshot; readonly effect: Effect },
): Promise<ToolOutcome> {
  const author = { actor: 'tool' as const, ...callerOf(snapshot.agent.id, effect) };
  const faults = await saveToolChanges(tx, { snapshot, values: end.blocks, author });
  const { ok, message, stdout, stderr } = end;
  if (faults.length === 0) return { ok, message, stdout, stderr };
  const told = `${message}\n\nThe tool ran, but some of its changes to core memory were not saved. ${faults.join(' ')}`;
  return { ok: false, message: told, stdout, stderr };
}

function unknownOutcome(effect: Effect): ToolOutcome {
  return refused(
    `${effect.call.name} was started, but the process that ran it died. Whether it took effect is unknown. Check before you call it again.`,
  );
}

function noImplementation(effect: Effect): ToolOutcome {
  return refused(
    `The tool ${effect.call.name} can't be run by this server. Do without it, and say so if it matters.`,
  );
}
