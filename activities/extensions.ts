import { ExtensionFault, type Extensions } from '../adapters/extensions/extensions.js';
import { compilePrefix, type PromptSources } from '../core/threads/context.js';
import type { ExtensionDescription } from '../core/extensions/extension.js';
import { WorldFailure } from '../core/failures.js';
import { type Decision, decideNext, type StepOutcome } from '../core/turns/turn.js';
import { type LoopAgent, loadLoopAgent } from '../schema/threads/loop-agent.js';
import type { ActivityDeps } from './deps.js';
import { fenced } from './failures.js';

/** A step for the agent's extension to decide on: names, numbers and verdicts. */
export interface DecideInput {
  readonly threadId: string;
  readonly turnId: string;
  readonly agentId: string;
  readonly step: StepOutcome;
}

/** Decisions of agents' extensions. */
export function extensionActivities({
  db,
  extensions,
  log,
}: Pick<ActivityDeps, 'db' | 'extensions' | 'log'>) {
  return {
    /**
     * Asks the agent's extension whether the turn goes on. Throws Turn.Fenced, and Extension.NotLoaded and
     * Extension.Failed, which end the turn, because nothing else may decide instead.
     */
    async decideStep(input: DecideInput): Promise<Decision> {
      const agent = await loadLoopAgent(db, input);
      if (agent === undefined) throw fenced();
      const { step } = input;
      const base = decideNext(step);
      const chosen = chosenExtension(extensions, agent);
      if (chosen?.decides !== true) return base;
      try {
        return await extensions.decide({ extension: chosen.name, step, base });
      } catch (error) {
        log.warn(`Extension ${chosen.name} could not decide on a step.`, { error, turn: input.turnId });
        throw toFailure(error, `The extension '${chosen.name}' could not decide whether the turn goes on.`);
      }
    },
  };
}

/**
 * The extension that the agent chose; undefined: none. Throws WorldFailure 'Extension.NotLoaded' where this worker
 * lacks it, because a prompt without it would be wrong.
 */
export function chosenExtension(
  { all }: Extensions,
  { extension }: Pick<LoopAgent, 'extension'>,
): ExtensionDescription | undefined {
  if (extension === null) return undefined;
  const chosen = all.find(({ name }) => name === extension);
  if (chosen !== undefined) return chosen;
  throw new WorldFailure(
    'Extension.NotLoaded',
    `The agent's extension '${extension}' is not loaded. Add its module to PERDURE_EXTENSIONS of every worker, or remove it from the agent's metadata.`,
    { retryable: false },
  );
}

/** The prompt's prefix, compiled by the agent's extension if it does that. Throws WorldFailure. */
export async function compileFor(
  extensions: Extensions,
  agent: Pick<LoopAgent, 'extension'>,
  state: PromptSources,
): Promise<string> {
  const base = compilePrefix(state);
  const chosen = chosenExtension(extensions, agent);
  if (chosen?.compiles !== true) return base;
  try {
    return await extensions.compile({ extension: chosen.name, state, base });
  } catch (error) {
    throw toFailure(error, `The extension '${chosen.name}' could not compile the agent's prompt.`);
  }
}

function toFailure(error: unknown, message: string): unknown {
  if (!(error instanceof ExtensionFault)) return error;
  return new WorldFailure('Extension.Failed', message, {
    retryable: false,
    detail: error.message,
    cause: error,
  });
}
