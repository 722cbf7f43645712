import { sql } from 'kysely';
import { type BlockRevision, selectRevisions, toRevision } from './revisions.js';
import type { Db } from '../db/database.js';

/** A revision in the feed of all blocks. */
export interface FeedRevision {
  /** Increases over all blocks. A reader continues after the last number it read. */
  readonly seq: number;
  readonly label: string;
  readonly revision: BlockRevision;
}

/** A reader's place in the feed. */
export interface FeedPlace {
  readonly after: number;
  readonly settling?: Settling | undefined;
}

/**
 * Numbers are assigned when a revision is written and become visible when it commits, so a smaller one may appear
 * after a larger one. Once all transactions before `xid` have ended, every number up to `seq` is either committed or
 * never will be.
 */
interface Settling {
  readonly seq: number;
  readonly xid: number;
}

export interface FeedPage {
  readonly revisions: readonly FeedRevision[];
  readonly place: FeedPlace;
  /** Whether all that is committed by now has been read. */
  readonly isSettled: boolean;
}

const pageSize = 20;

/**
 * The revisions after a place, in the order of their numbers, without gaps or repetitions, even where writers commit
 * late or roll back. Blocks that the runtime writes for itself (summaries) are left out.
 */
export async function readBlockFeed(db: Db, { after, settling }: FeedPlace): Promise<FeedPage> {
  const isSettled = settling !== undefined && (await isOver(db, settling));
  const rows = await readRows(db, after);
  const told = withoutGaps(rows, after, isSettled ? settling.seq : 0);
  const isWaiting = told.length < rows.length;
  const reached = told.at(-1)?.seq ?? after;
  const next = settling === undefined || isSettled ? undefined : settling;
  return {
    revisions: told.filter(({ revision }) => revision.actor !== 'runtime'),
    place: { after: reached, settling: isWaiting ? (next ?? (await beginSettling(db))) : undefined },
    isSettled: !isWaiting && rows.length < pageSize,
  };
}

/** The place after all that is written by now. Waits for uncommitted writers, for as long as `pause` returns. */
export async function findFeedEnd(db: Db, pause: () => Promise<void>): Promise<FeedPlace> {
  const settling = await beginSettling(db);
  while (!(await isOver(db, settling))) await pause();
  return { after: settling.seq };
}

/** The revisions that may be returned: all settled ones, and those that follow without a gap. */
function withoutGaps(rows: readonly FeedRevision[], after: number, settled: number): readonly FeedRevision[] {
  let reached = Math.max(after, settled);
  const end = rows.findIndex(({ seq }) => {
    if (seq > reached + 1) return true;
    reached = Math.max(reached, seq);
    return false;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

async function beginSettling(db: Db): Promise<Settling> {
  // Read in this order: a writer with a number up to this one began before the transaction that comes next.
  const last = await sql<{ seq: number | null }>`
    select pg_sequence_last_value(pg_get_serial_sequence('block_revisions', 'seq')) as seq`.execute(db);
  const own = await sql<{ xid: string }>`select pg_current_xact_id()::text as xid`.execute(db);
  return { seq: last.rows[0]?.seq ?? 0, xid: Number(own.rows[0]?.xid) };
}

async function isOver(db: Db, { xid }: Settling): Promise<boolean> {
  const { rows } = await sql<{ xmin: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`.execute(db);
  return Number(rows[0]?.xmin) >= xid;
}

async function readRows(db: Db, after: number): Promise<readonly FeedRevision[]> {
  const rows = await selectRevisions(db)
    .innerJoin('blocks', 'blocks.id', 'block_revisions.block_id')
    .select('blocks.label')
    .where('block_revisions.seq', '>', after)
    .orderBy('block_revisions.seq')
    .limit(pageSize)
    .execute();
  return rows.map((row) => ({ seq: row.seq, label: row.label, revision: toRevision(row) }));
}
