import type { BenchStack } from './bench-stack.js';
import type { AnswerNotice, ModelOrder } from './instant-model.js';

/** One step of one model's answers. */
interface AnswerAt {
  readonly model: string;
  /** 0-based, since a user last spoke. */
  readonly step: number;
}

/** Tells the model's program what to hold back, or to go on. */
export function tellModel({ model: child }: BenchStack, order: ModelOrder): void {
  child.process.send(order);
}

/** Resolves when the model has sent the answer to that step, or, where it is held, half of it. */
export function nextAnswer({ model: child }: BenchStack, at: AnswerAt, held: boolean): Promise<void> {
  return new Promise((resolve) => {
    const listen = (notice: AnswerNotice): void => {
      if (notice.model !== at.model || notice.step !== at.step || notice.held !== held) return;
      child.process.off('message', listen);
      resolve();
    };
    child.process.on('message', listen);
  });
}
