import type { ToolEnd } from '../../adapters/custom-tools/tool-end.js';
import type { ActivityDeps } from '../deps.js';
import { type OutsideTool, refused, textArgument, type ToolOutcome } from './outcome.js';

/**
 * Runs code that the agent wrote. It reaches nothing outside of its sandbox, so that it may be run again after a
 * crash. The result is JSON, as models know it from Letta: `results`, `logs` and, where it failed, `error`.
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

function toOutcome({ ok, message, stdout, stderr }: ToolEnd): ToolOutcome {
  const shown = {
    results: ok && message !== '' ? [message] : [],
    logs: { stdout, stderr },
    ...(ok ? {} : { error: message }),
  };
  return { ok, message: JSON.stringify(shown), stdout, stderr };
}
