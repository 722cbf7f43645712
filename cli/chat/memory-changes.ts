import type { Context } from '../command-context.js';
import { renderChange } from '../render/diff.js';
import type { WireBlock } from '../shapes.js';

/** Tells what changed in an agent's core memory since it was last asked. */
export interface MemoryChanges {
  /** Lines for each block that the agent or anyone else changed. Empty if none did. */
  next(): Promise<readonly string[]>;
  /** The block that changed last. */
  lastChanged(): WireBlock | undefined;
}

/** Begins with the memory as it is now. */
export async function watchMemory(
  { rest, paint }: Pick<Context, 'rest' | 'paint'>,
  agentId: string,
): Promise<MemoryChanges> {
  const read = (): Promise<WireBlock[]> =>
    rest.get(`/v1/agents/${agentId}/core-memory/blocks`, { limit: 1000 });
  let known = new Map((await read()).map((block) => [block.id, block]));
  let last: WireBlock | undefined;
  return {
    async next() {
      const now = await read();
      const lines = now.flatMap((block) => {
        const before = known.get(block.id);
        if (before?.revision === block.revision) return [];
        last = block;
        const title = `${paint.green('✎')} ${paint.bold(block.label)} ${paint.dim(`revision ${block.revision}`)}`;
        return [title, ...renderChange(before?.value ?? '', block.value, paint)];
      });
      known = new Map(now.map((block) => [block.id, block]));
      return lines;
    },
    lastChanged: () => last,
  };
}
