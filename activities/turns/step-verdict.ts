import { loopStyle } from '../../core/agents/agents.js';
import { callTimeMs } from '../../core/tools/activity-tools.js';
import type { ExtensionDescription } from '../../core/extensions/extension.js';
import type { MessageBody } from '../../core/threads/messages.js';
import type { FinishReason } from '../../core/models/model.js';
import { builtinOf } from '../../core/tools/tools.js';
import type { Refusal } from '../../core/turns/turn.js';
import type { LoopAgent, LoopTool } from '../../schema/threads/loop-agent.js';
import { extensionToolType } from '../../schema/tools/extension-tools.js';
import type { Effect } from '../../schema/turns/records.js';

/** A tool call of a step, for the workflow: a name and verdicts. */
export interface CallVerdict {
  readonly effectId: string;
  /** `unknown_tool` where the agent has no such tool, because the model's text is content. */
  readonly name: string;
  readonly requestedHeartbeat: boolean;
  /**
   * `editing`: it writes core memory. `quickly`: it only changes other rows. `patiently`: it waits for the world.
   * `asking`: it waits for other agents.
   */
  readonly runs: 'editing' | 'quickly' | 'patiently' | 'asking';
  /** How long it may take, in ms, if its tool sets that. */
  readonly withinMs?: number;
  /** Set where it was refused. Its result is stored. */
  readonly refused?: Refusal;
  /** Set where it ran before: how it ended. Its result is stored. */
  readonly ran?: 'success' | 'error';
  /** Whether it waits for a person or the client, beyond the turn's end. */
  readonly awaits?: true;
  /** Whether it ends the turn if it succeeds. */
  readonly terminal?: true;
}

/** A step with its stored answer. */
export interface AnsweredStep {
  readonly kind: 'answered';
  readonly calls: readonly CallVerdict[];
  readonly hasText: boolean;
  /** Set where a MemGPT agent has no tool to speak or to end with. */
  readonly speaksInText?: true;
  readonly finishReason: FinishReason;
  /** Set where the agent's extension decides whether the turn goes on, in `decideStep`. */
  readonly decidedBy?: 'extension';
}

/** The result of a model call: only names, numbers and verdicts, because it is written to the workflow's history. */
export type StepVerdict =
  | AnsweredStep
  /** The context is full, by our count or the provider's. Evict, then call again. */
  | { readonly kind: 'pressure'; readonly overflowed: boolean }
  /** Instructions and memory alone fill the window, or the turn's budget is used up. */
  | {
      readonly kind: 'refused';
      readonly stopReason: 'context_window_overflow_in_system_prompt' | 'max_tokens_exceeded';
    };

/** The verdict on a stored answer. A call with a stored result does not run again. */
export function toAnsweredStep(
  agent: LoopAgent,
  answer: {
    readonly effects: readonly Effect[];
    readonly body: MessageBody | undefined;
    readonly finishReason: FinishReason;
  },
  extension: Pick<ExtensionDescription, 'decides'> | undefined,
): AnsweredStep {
  const { effects, body, finishReason } = answer;
  return {
    kind: 'answered',
    calls: effects.map((effect) => toCallVerdict(effect, agent)),
    hasText: body?.kind === 'assistant' && body.text !== '',
    ...(body?.kind === 'assistant' && body.spoken === true ? { speaksInText: true } : {}),
    finishReason,
    ...(extension?.decides === true ? { decidedBy: 'extension' } : {}),
  };
}

/** The time beside an activity's call, in ms: to start it, and to store its result. */
const besideMs = 60_000;

/** A call, for the workflow. */
export function toCallVerdict(effect: Effect, agent: LoopAgent): CallVerdict {
  const { name } = effect.call;
  const tool = agent.tools.find((one) => one.name === name);
  const call = {
    effectId: effect.id,
    name: tool?.name ?? 'unknown_tool',
    requestedHeartbeat: effect.requestHeartbeat,
    runs: runsOf(tool),
    // Without heartbeats, nothing else could end a turn after the agent has spoken.
    ...(tool?.messaging != null && loopStyle(agent.agentType) === 'native'
      ? { terminal: true as const }
      : {}),
    ...(tool?.activity == null ? {} : { withinMs: callTimeMs(tool.activity) + besideMs }),
  };
  if (effect.refusal !== null) return { ...call, refused: effect.refusal };
  if (effect.state === 'awaiting' || effect.state === 'held') return { ...call, awaits: true };
  return effect.state === 'done' ? { ...call, ran: effect.status ?? 'error' } : call;
}

function runsOf(tool: LoopTool | undefined): CallVerdict['runs'] {
  // An extension's tools either speak or edit memory sections.
  if (tool?.toolType === extensionToolType) return tool.messaging == null ? 'editing' : 'quickly';
  const builtin = tool === undefined ? undefined : builtinOf(tool);
  switch (builtin?.effect) {
    case 'asking':
    case 'editing':
      return builtin.effect;
    case 'pure':
    case 'transactional':
      return 'quickly';
    case 'searching':
    case undefined:
      return 'patiently';
  }
}
