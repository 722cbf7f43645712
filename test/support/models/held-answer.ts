import type { ModelAnswer } from '../../../core/models/model.js';

/** A model's answer that a test lets go, as a line of a script. */
export function heldAnswer(answer: Partial<ModelAnswer>) {
  let release = (): void => undefined;
  let begin = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const line = async (): Promise<Partial<ModelAnswer>> => {
    begin();
    await released;
    return answer;
  };
  return { line, begun, release };
}
