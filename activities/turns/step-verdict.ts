import { loopStyle } from '../../core/agents/agents.js';
import { callTimeMs } from '../../core/tools/activity-tools.js';
import type { ExtensionDescription } from '../../core/extensions/extension.js';
import type { MessageBody } from '../../core/threads/messages.js';
import type { FinishReason } from '../../core/turns/model.js';
import { builtinOf } from '../../core/tools/tools.js';
import type { Refusal } from '../../core/turns/turn.js';
import type { LoopAgent, LoopTool } from '../../schema/turns/loop-agent.js';
import { extensionToolType } from '../../schema/tools/extension-tools.js';
import type { Effect } from '../../schema/turns/records.js';

/** One tool call of a step, as the workflow sees it: a name and verdicts. */
export interface CallVerdict {
  readonly effectId: string;
  /** `unknown_tool` where the agent has no such tool: what the model wrote there is content. */
  readonly name: string;
  readonly requestedHeartbeat: boolean;
  /**
   * `editing`: it writes core memory. `quickly`: it changes other rows alone. `patiently`: it waits for the world.
   * `asking`: it waits for other agents.
   */
  readonly runs: 'editing' | 'quickly' | 'patiently' | 'asking';
  /** How long it may take, in ms, where its tool says so. */
  readonly withinMs?: number;
  /** Set where it was not run; its result is stored already. */
  readonly refused?: Refusal;
  /** Set where it was run before: how it ended. Its result is stored already. */
  readonly ran?: 'success' | 'error';
  /** It waits for a person or the client, beyond the turn's end. */
  readonly awaits?: true;
  /** It ends the turn by itself where it succeeds. */
  readonly terminal?: true;
}

/** A step whose answer is stored. */
export interface AnsweredStep {
  readonly kind: 'answered';
  readonly calls: readonly CallVerdict[];
  readonly hasText: boolean;
  /** Set where a MemGPT agent has no tool to speak or to end with. */
  readonly speaksInText?: true;
  readonly finishReason: FinishReason;
  /** Whether the turn goes on is the agent's extension's to decide: `decideStep`. */
  readonly decidedBy?: 'extension';
}

/** The result of a model call: names, numbers and verdicts, because it is written to the workflow's history. */
export type StepVerdict =
  | AnsweredStep
  /** The context is full, or the provider said so: evict, then call again. */
  | { readonly kind: 'pressure'; readonly overflowed: boolean }
  /** Instructions and memory alone fill the window, or the turn's budget is used up. */
  | {
      readonly kind: 'refused';
      readonly stopReason: 'context_window_overflow_in_system_prompt' | 'max_tokens_exceeded';
    };

/** The verdict on a stored answer. A call whose result is stored is not run again. */
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

/** What a call of an activity may take beside it, in ms: to begin it, and to store its result. */
const besideMs = 60_000;

/** A call as the workflow sees it. */
export function toCallVerdict(effect: Effect, agent: LoopAgent): CallVerdict {
  const { name } = effect.call;
  const tool = agent.tools.find((one) => one.name === name);
  const call = {
    effectId: effect.id,
    name: tool?.name ?? 'unknown_tool',
    requestedHeartbeat: effect.requestHeartbeat,
    runs: runsOf(tool),
    // Where no heartbeat is to be had, nothing else could end a turn after what was said.
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
  // An extension's tools speak or edit memory sections.
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
