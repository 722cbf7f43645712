import type { LoopStyle } from '../agents/agents.js';
import type { FinishReason } from '../models/model.js';
import type { StopReason } from './stop-reasons.js';
import { missingBeforeExit, terminalTools, type ToolRule } from '../agents/tool-rules.js';

/** The outcome of one tool call of the step. */
export interface CallOutcome {
  readonly name: string;
  readonly requestedHeartbeat: boolean;
  readonly status: 'success' | 'error';
  /** Whether the tool itself ends the turn, apart from any `exit_loop` rule. */
  readonly terminal?: boolean;
  /** Whether a tool rule excluded it. */
  readonly ruleBroken?: boolean;
  /** Whether its arguments could not be read or did not fit its schema, so that it never ran. */
  readonly badArguments?: boolean;
}

/** Why a call was refused without running. The model reads the reason and gets another step. */
export type Refusal = 'unknown_tool' | 'arguments' | 'rule';

/** The outcome of a call, from the call and the end of its run. A refused call never ran. */
export function toCallOutcome(
  call: {
    readonly name: string;
    readonly requestedHeartbeat: boolean;
    readonly refused?: Refusal;
    readonly terminal?: boolean;
  },
  status: 'success' | 'error',
): CallOutcome {
  return {
    name: call.name,
    requestedHeartbeat: call.requestedHeartbeat,
    status: call.refused === undefined ? status : 'error',
    ...(call.terminal === true ? { terminal: true } : {}),
    ruleBroken: call.refused === 'rule',
    // An unknown tool counts like unreadable arguments: three steps of nothing else end the turn.
    badArguments: call.refused === 'arguments' || call.refused === 'unknown_tool',
  };
}

/** A finished step, as far as the decision depends on it: names and verdicts, no texts. */
export interface StepOutcome {
  readonly style: LoopStyle;
  /** From 0. */
  readonly stepIndex: number;
  readonly maxSteps: number;
  readonly rules: readonly ToolRule[];
  readonly calls: readonly CallOutcome[];
  /** Names of the tools called in this turn before this step. */
  readonly earlierCalls: readonly string[];
  readonly hasText: boolean;
  /** Whether text is how the agent speaks, in a `tools` loop: it has no tool to speak or to end with. */
  readonly speaksInText?: boolean;
  readonly finishReason: FinishReason;
  /** How many steps directly before this one were bad answers (`isBadAnswer`). */
  readonly consecutiveBadAnswers: number;
}

/** Why the agent gets another step, with the tools concerned. */
export interface HeartbeatReason {
  readonly kind:
    | 'requested'
    | 'tool_failed'
    | 'rule_broken'
    | 'rule'
    | 'child_tools'
    | 'required_before_exit'
    | 'no_tool_call'
    | 'bad_arguments'
    | 'empty_answer'
    /** The agent's extension decided so. */
    | 'extension'
    /** In native loops, the model reads its results and goes on without a message. */
    | 'tool_called';
  readonly tools?: readonly string[];
}

/** What follows a step. */
export type Decision =
  | { readonly kind: 'continue'; readonly reason: HeartbeatReason }
  | { readonly kind: 'end'; readonly stopReason: StopReason };

const badAnswersAllowed = 3;

/** The default limit of a turn's steps. */
export const usualMaxSteps = 50;

/**
 * Decides whether the agent gets another step. Invariants:
 * 1. A turn has at most `maxSteps` steps: if it would go on after the last one, it ends as `max_steps`.
 * 2. A failed call brings another step, requested or not, even beside a terminal one, unless 1 or 3 ends the turn.
 * 3. The agent is told of an answer that can't be acted on (nothing, text where a call is due, nothing but calls with
 *    bad arguments). The third in a row ends the turn, with a stop reason that names the fault.
 * 4. A terminal tool that succeeded ends the turn: `tool_rule` where the turn would have gone on, else `end_turn`.
 * 5. Neither 4 nor 6 ends the turn before every `required_before_exit` tool was called.
 * 6. Otherwise the style decides: `native` goes on after each call; `tools` where a heartbeat was requested or a rule
 *    gives one. Plain text ends a `native` turn, and that of an agent which speaks in text.
 */
export function decideNext(step: StepOutcome): Decision {
  return withinSteps(step, isBadAnswer(step) ? afterBadAnswer(step) : afterGoodAnswer(step));
}

/** The decision, or the turn's end where no step is left. */
export function withinSteps(
  { stepIndex, maxSteps }: Pick<StepOutcome, 'stepIndex' | 'maxSteps'>,
  decision: Decision,
): Decision {
  return decision.kind === 'continue' && stepIndex + 1 >= maxSteps ? end('max_steps') : decision;
}

/** Whether the step's answer could not be acted on at all. Any other answer resets the count of such steps. */
export function isBadAnswer(
  step: Pick<StepOutcome, 'style' | 'calls' | 'hasText' | 'speaksInText'>,
): boolean {
  if (step.calls.length > 0) return step.calls.every((call) => call.badArguments === true);
  return !step.hasText || (step.style === 'tools' && step.speaksInText !== true);
}

function afterBadAnswer(step: StepOutcome): Decision {
  const reason = badAnswerReason(step);
  if (step.consecutiveBadAnswers + 1 < badAnswersAllowed) return { kind: 'continue', reason };
  if (step.finishReason === 'length') return end('max_tokens_exceeded');
  switch (reason.kind) {
    case 'bad_arguments':
      return end('invalid_tool_call');
    case 'no_tool_call':
      return end('no_tool_call');
    default:
      return end('invalid_llm_response');
  }
}

function badAnswerReason(step: StepOutcome): HeartbeatReason {
  if (step.calls.length > 0) return about('bad_arguments', step.calls);
  return { kind: step.hasText ? 'no_tool_call' : 'empty_answer' };
}

function afterGoodAnswer(step: StepOutcome): Decision {
  const terminal = terminalTools(step.rules);
  const isTerminal = step.calls.some(
    (call) => call.status === 'success' && (call.terminal === true || terminal.has(call.name)),
  );
  const failure = faultReason(step.calls);
  if (failure !== null) {
    return { kind: 'continue', reason: step.style === 'native' ? { kind: 'tool_called' } : failure };
  }
  const wish = reasonToGoOn(step);
  if (wish !== null && !isTerminal) return { kind: 'continue', reason: wish };
  const missing = missingBeforeExit(step.rules, [
    ...step.earlierCalls.map((name) => ({ name })),
    ...step.calls,
  ]);
  if (missing.length > 0)
    return { kind: 'continue', reason: { kind: 'required_before_exit', tools: missing } };
  if (isTerminal) return end(wasAskedOn(step) ? 'tool_rule' : 'end_turn');
  return end(step.calls.length === 0 && step.finishReason === 'length' ? 'max_tokens_exceeded' : 'end_turn');
}

function faultReason(calls: readonly CallOutcome[]): HeartbeatReason | null {
  const failed = calls.filter((call) => call.status === 'error');
  if (failed.length === 0) return null;
  if (failed.every((call) => call.badArguments === true)) return about('bad_arguments', failed);
  return about(failed.every((call) => call.ruleBroken === true) ? 'rule_broken' : 'tool_failed', failed);
}

function reasonToGoOn({ style, calls, rules }: StepOutcome): HeartbeatReason | null {
  if (style === 'native') return calls.length > 0 ? { kind: 'tool_called' } : null;
  const asking = calls.filter((call) => call.requestedHeartbeat);
  if (asking.length > 0) return about('requested', asking);
  const parents = calls.filter((call) => rules.some((rule) => rule.tool === call.name && hasChildren(rule)));
  if (parents.length > 0) return about('child_tools', parents);
  const continuing = calls.filter((call) =>
    rules.some((rule) => rule.kind === 'continue_loop' && rule.tool === call.name),
  );
  return continuing.length > 0 ? about('rule', continuing) : null;
}

function hasChildren(rule: ToolRule): boolean {
  switch (rule.kind) {
    case 'constrain_child_tools':
    case 'parent_last_tool':
      return rule.children.length > 0;
    case 'conditional':
      return true;
    default:
      return false;
  }
}

function wasAskedOn({ style, calls }: StepOutcome): boolean {
  return style === 'native' || calls.some((call) => call.requestedHeartbeat);
}

function about(kind: HeartbeatReason['kind'], calls: readonly CallOutcome[]): HeartbeatReason {
  return { kind, tools: [...new Set(calls.map((call) => call.name))] };
}

function end(stopReason: StopReason): Decision {
  return { kind: 'end', stopReason };
}
