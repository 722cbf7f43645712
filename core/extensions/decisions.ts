import { stopReasons, type StopReason } from '../turns/stop-reasons.js';
import { type Decision, type StepOutcome, withinSteps } from '../turns/turn.js';

/** Reasons for which a decision may end a turn. The others follow from an event outside of the decision. */
const decidable: readonly string[] = stopReasons.filter(
  (reason) => reason !== 'requires_approval' && reason !== 'cancelled',
);

/**
 * Reads an extension's answer to `decide`; undefined where it is no decision. A step without one of the runtime's
 * reasons gets the reason `extension`. The turn's limit of steps still holds.
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
