import type { ToolSchema } from '../../../core/models/model.js';
import { findCall, toCall, type Action } from './actions.js';
import type { CallMade, Conversation } from './conversation.js';
import type { Fact } from './facts.js';
import { readHumanBlock } from './human-block.js';
import { readIntents, type Intent } from './intents.js';
import { findLines, findStanding } from './known-lines.js';

/** An intent of the user's, and what was done for it. */
export interface PlannedStep {
  readonly intent: Intent;
  /** The value of the `human` block at this step. */
  readonly human: string;
  /** Absent where nothing needs to be done, or no tool can. */
  readonly action?: Action | undefined;
  /** The call that did the action, if it was made. */
  readonly call?: CallMade | undefined;
}

/**
 * What the user's words since the last answer ask for, in order. Depends on the conversation alone, so every step of
 * a turn makes the same plan and finds what is left to do.
 */
export function makePlan(conversation: Conversation, tools: readonly ToolSchema[]): PlannedStep[] {
  let human = readHumanBlock(conversation.before);
  return readIntents(conversation.asked).map((intent) => {
    const action = toAction(intent, { human, tools, calls: conversation.calls });
    const step = { intent, human };
    if (action === undefined) return step;
    human = foresee(human, action);
    return { ...step, action, call: findCall(action, conversation.calls) };
  });
}

interface Surroundings {
  readonly human: string;
  readonly tools: readonly ToolSchema[];
  readonly calls: readonly CallMade[];
}

function toAction(intent: Intent, around: Surroundings): Action | undefined {
  const first = (...actions: readonly Action[]): Action | undefined =>
    actions.find((action) => toCall(action, around.tools) !== undefined);
  switch (intent.kind) {
    case 'fact':
      return toFactAction(intent.fact, around);
    case 'save':
      return first({ kind: 'save', text: intent.text });
    case 'search':
      return intent.query === '' ? undefined : first({ kind: 'search', text: intent.query });
    case 'recall':
      return intent.query === '' ? undefined : first({ kind: 'recall', text: intent.query });
    case 'ask':
      return findLines(around.human, intent.question).length > 0
        ? undefined
        : first({ kind: 'search', text: intent.question }, { kind: 'recall', text: intent.question });
    case 'about':
    case 'greeting':
    case 'other':
      return undefined;
  }
}

function toFactAction(fact: Fact, { human, tools, calls }: Surroundings): Action | undefined {
  const append: Action = { kind: 'append', text: fact.line };
  // The prompt may have been compiled again since the call. The block then contains the fact because of that call.
  if (findCall(append, calls) !== undefined) return append;
  const standing = findStanding(human, fact);
  if (standing.kind === 'known') return undefined;
  if (standing.kind === 'changed') {
    const replace: Action = { kind: 'replace', old: standing.old, text: standing.replacement };
    const hasFailed = findCall(replace, calls)?.result?.ok === false;
    if (!hasFailed && toCall(replace, tools) !== undefined) return replace;
  }
  return toCall(append, tools) === undefined ? undefined : append;
}

function foresee(human: string, action: Action): string {
  if (action.kind === 'append') return `${human}\n${action.text}`;
  return action.kind === 'replace' ? human.replace(action.old, () => action.text) : human;
}
