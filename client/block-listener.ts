import { blockChannel } from '../schema/blocks/writing.js';
import { createHints, type Hints } from './hints.js';

/** Hints that blocks have new revisions. */
export interface BlockListener {
  /** Resolves at the next hint for the block, or for any where none is named; after `withinMs`, or when aborted. */
  next(blockId: string | undefined, options: { withinMs: number; signal?: AbortSignal }): Promise<void>;
  close(): Promise<void>;
}

const anyBlock = '*';

/** Connects at first use: most processes never follow blocks. `channel`: by default all changes of blocks. */
export function createBlockListener(databaseUrl: string, channel = blockChannel): BlockListener {
  let hints: Hints | undefined;
  return {
    next(blockId, options) {
      hints ??= createHints(databaseUrl, channel, (id) => [id, anyBlock]);
      return hints.next(blockId ?? anyBlock, options);
    },
    async close() {
      await hints?.close();
    },
  };
}
