import type { ToolEnd } from '../../adapters/custom-tools/tool-end.js';
import { needsApproval } from '../../core/agents/tool-rules.js';
import { type AgentSnapshot, takeAgentSnapshot } from '../../schema/tools/agent-snapshots.js';
import type { Tool } from '../../schema/tools/tools.js';
import type { ActivityDeps } from '../deps.js';
import { runSource } from './custom.js';
import { type OutsideTool, refused, textArgument, type ToolOutcome } from './outcome.js';

/**
 * Runs code that the agent wrote. It can reach nothing outside of its sandbox, so it may run again after a crash. The
 * result is JSON as in Letta: `results`, `logs` and, where it failed, `error`.
 */
export function runCode({ tools }: Pick<ActivityDeps, 'tools'>): OutsideTool {
  return {
    kind: 'outside',
    async run({ effect, start, signal }) {
      const prepared = await tools.prepare({
        name: 'run_code',
        sourceType: textArgument(effect, 'language') === 'python' ? 'python' : 'typescript',
        sourceCode: textArgument(effect, 'code'),
        runtime: { function: null, modules: [] },
        requirements: [],
        parameters: [],
      });
      if (prepared.kind === 'refused') return () => Promise.resolve(refused(prepared.message));
      await start();
      const end = await prepared.run({ arguments: {}, environment: {}, agent: null, token: null, signal });
      const outcome = toOutcome(end);
      return () => Promise.resolve(outcome);
    },
  };
}

/**
 * Runs Python that the agent wrote and that may call its custom Python tools, in the same process. There the tools
 * have no secrets and may only read from the server. After a crash their effects are unknown, so it does not run
 * again. It can't call tools that need an approval.
 */
export function runCodeWithTools(
  deps: Pick<ActivityDeps, 'db' | 'vault' | 'tools' | 'toolTimeoutMs'>,
): OutsideTool {
  return {
    kind: 'outside',
    async run(run) {
      const snapshot = await takeAgentSnapshot(deps.db, {
        ...{ agentId: run.agent.id, turnId: run.effect.turnId },
      });
      const callable = snapshot.tools.filter((tool) => isCallable(tool, snapshot));
      const source = {
        name: 'run_code_with_tools',
        sourceType: 'python',
        sourceCode: textArgument(run.effect, 'code'),
        runtime: { ...callable[0]?.runtime, function: null, modules: callable.flatMap(modulesOf) },
        requirements: callable.flatMap(({ requirements }) => requirements),
        parameters: [],
        beside: callable.map(({ name, sourceCode, runtime }) => ({
          ...{ name, source: sourceCode ?? '', function: runtime.function ?? name },
        })),
      };
      const write = await runSource(deps, run, { snapshot, source, isRepeatable: false, writtenBy: 'model' });
      return async (context) => {
        const { ok, message, stdout = [], stderr = [] } = await write(context);
        return toOutcome({ ok, message, stdout, stderr });
      };
    },
  };
}

function isCallable(tool: Tool, { agent }: AgentSnapshot): boolean {
  const { name, toolType, sourceType, runtime } = tool;
  const isRunnable = toolType === 'custom' && sourceType === 'python' && runtime.function !== null;
  return isRunnable && !needsApproval(agent.toolRules, name);
}

function modulesOf({ runtime }: Tool): readonly string[] {
  return runtime.modules ?? [];
}

function toOutcome({ ok, message, stdout, stderr }: Omit<ToolEnd, 'blocks'>): ToolOutcome {
  const shown = {
    results: ok && message !== '' ? [message] : [],
    logs: { stdout, stderr },
    ...(ok ? {} : { error: message }),
  };
  return { ok, message: JSON.stringify(shown), stdout, stderr };
}
