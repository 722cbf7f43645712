import { type FeedPlace, findFeedEnd, type FeedRevision, readBlockFeed } from '../schema/blocks/feed.js';
import { type BlockRevision, listRevisions } from '../schema/blocks/revisions.js';
import { getBlock, requireBlock } from '../schema/blocks/blocks.js';
import type { Db } from '../schema/db/database.js';
import type { BlockListener } from './block-listener.js';

/** Where to begin following, and until when. */
export interface FollowOptions {
  /** The number of the last one seen; absent: what comes from now on. 0: from the beginning. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Sources {
  readonly db: Db;
  readonly listener: BlockListener;
}

/** How often waiting code looks at the rows, with or without a hint, in ms. */
const pollMs = 1_000;
/** Revisions per query: each has the block's whole value, and a reader may be slow. */
const pageSize = 5;
/** How often it looks while a transaction that wrote revisions is not committed yet, in ms. */
const unsettledPollMs = 25;

/** A block's revisions as they are made, until it is deleted or the signal is aborted. Throws BlockNotFoundError. */
export async function* watchBlock(
  { db, listener }: Sources,
  blockId: string,
  { after, signal }: FollowOptions,
): AsyncGenerator<BlockRevision> {
  let seen = after ?? (await requireBlock(db, blockId)).revision;
  while (signal?.aborted !== true) {
    const hint = listener.next(blockId, { withinMs: pollMs, ...(signal && { signal }) });
    const revisions = await listRevisions(db, blockId, { order: 'asc', after: seen, limit: pageSize });
    for (const revision of revisions) {
      seen = revision.revision;
      yield revision;
    }
    if (revisions.length > 0) continue;
    if ((await getBlock(db, blockId)) === undefined) return;
    await hint;
  }
}

/** The revisions of all blocks as they are committed, in one order for all readers, until the signal is aborted. */
export async function* watchBlocks(
  sources: Sources,
  { after, signal }: FollowOptions,
): AsyncGenerator<FeedRevision> {
  const { db, listener } = sources;
  let place: FeedPlace = { after: after ?? (await newestSeq(sources)) };
  while (signal?.aborted !== true) {
    const hint = listener.next(undefined, { withinMs: pollMs, ...(signal && { signal }) });
    const page = await readBlockFeed(db, place);
    place = page.place;
    for (const one of page.revisions) yield one;
    if (page.revisions.length > 0) continue;
    await (page.isSettled ? hint : pauseOf(sources)());
  }
}

/** The `seq` after which everything comes that is committed from now on. */
export async function newestSeq(sources: Sources): Promise<number> {
  return (await findFeedEnd(sources.db, pauseOf(sources))).after;
}

function pauseOf({ listener }: Sources): () => Promise<void> {
  return () => listener.next(undefined, { withinMs: unsettledPollMs });
}
