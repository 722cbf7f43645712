import { stopReasons, type StopReason } from '../turns/stop-reasons.js';
import { type Decision, type StepOutcome, withinSteps } from '../turns/turn.js';

/** How a turn can end by a decision. The others follow from what somebody did meanwhile. */
const decidable: readonly string[] = stopReasons.filter(
  (reason) => reason !== 'requires_approval' && reason !== 'cancelled',
);

/**
 * What an extension's answer to `decide` means; undefined where it is no decision. A step that is given without one of
 * the runtime's own reasons is told as the extension's, and none is given beyond the turn's limit.
 */
export function readDecision(step: StepOutcome, base: Decision, answer: unknown): Decision | undefined {
  if (typeof answer !== 'object' || answer === null || !('kind' in answer)) return undefined;
  if (answer.kind === 'continue') {
    return withinSteps(
      step,
      base.kind === 'continue' ? base : { kind: 'continue', reason: { kind: 'extension' } },
    );
  }
  if (answer.kind !== 'end' || !('stopReason' in answer)) return undefined;
  return isDecidable(answer.stopReason) ? { kind: 'end', stopReason: answer.stopReason } : undefined;
}

function isDecidable(reason: unknown): reason is StopReason {
  return typeof reason === 'string' && decidable.includes(reason);
}
