import type { Blocks } from '../../client/blocks.js';
import type { FollowOptions } from '../../client/block-watching.js';
import type { BlockRevision } from '../../schema/blocks/revisions.js';
import { toWireRevisionWithValue } from './revisions-wire.js';
import { sseComment, toNamedSse } from '../streams/sse.js';

/** Types of events that can be followed. */
export const blockEventTypes = ['block.created', 'block.updated'] as const;

type BlockEventType = (typeof blockEventTypes)[number];

/** One block's revisions as server-sent events, with revision numbers as ids. A last event tells of its deletion. */
export async function* streamBlock(
  blocks: Blocks,
  block: { readonly id: string; readonly label: string },
  options: FollowOptions,
): AsyncGenerator<string> {
  // Sent at once: the response's head waits for its first byte.
  yield sseComment;
  for await (const revision of blocks.watch(block.id, options)) {
    yield toEvent(revision.revision, block.label, revision);
  }
  if (options.signal?.aborted !== true)
    yield toNamedSse({ name: 'block.deleted', data: { block_id: block.id } });
}

/** All blocks' revisions as server-sent events, with ids that grow over all blocks. */
export async function* streamBlocks(
  blocks: Blocks,
  types: readonly BlockEventType[],
  options: FollowOptions,
): AsyncGenerator<string> {
  yield sseComment;
  for await (const { seq, label, revision } of blocks.watchAll(options)) {
    if (types.includes(typeOf(revision))) yield toEvent(seq, label, revision);
  }
}

function toEvent(id: number, label: string, revision: BlockRevision): string {
  return toNamedSse({ name: typeOf(revision), id, data: { label, ...toWireRevisionWithValue(revision) } });
}

function typeOf({ operation }: BlockRevision): BlockEventType {
  return operation.kind === 'create' ? 'block.created' : 'block.updated';
}
