import { sql } from 'kysely';
import { applyOperation } from '../../core/blocks/operations.js';
import type { Restoration } from '../../core/blocks/blocks.js';
import { requireRevision } from './revisions.js';
import { type ChangeOutcome, type Revising, reviseBlock } from './writing.js';
import { requireBlock } from './blocks.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { NothingToUndoError } from './errors.js';
import { changeOnBranch, refinementOf } from './branches.js';

/**
 * Undoes or redoes as an editor does: each undo goes one change further back, each redo repeats one undone change,
 * and any other change ends redo. Both write revisions and keep the promises of `reviseBlock`. Throws
 * BlockNotFoundError and NothingToUndoError.
 */
export async function stepBlock(
  db: Db | Tx,
  wish: 'undo' | 'redo',
  revising: Revising,
): Promise<ChangeOutcome> {
  return revise(db, revising, async (tx, revision) => {
    const [target] = (
      wish === 'undo'
        ? await findUndo(tx, revising.blockId, revision)
        : await findRedo(tx, revising.blockId, revision)
    ).rows;
    if (target === undefined) throw new NothingToUndoError(revising.blockId, wish);
    return { kind: wish, to: target.to };
  });
}

/**
 * Writes the value of an earlier revision again. Keeps the promises of `reviseBlock`. Throws BlockNotFoundError and
 * RevisionNotFoundError.
 */
export async function restoreBlock(db: Db | Tx, to: number, revising: Revising): Promise<ChangeOutcome> {
  return revise(db, revising, () => Promise.resolve({ kind: 'restore', to }));
}

type Choose = (tx: Tx, revision: number) => Promise<Restoration>;

async function revise(db: Db | Tx, revising: Revising, choose: Choose): Promise<ChangeOutcome> {
  return inTransaction(
    db,
    async (tx) => (await onBranch(tx, revising, choose)) ?? itself(tx, revising, choose),
  );
}

function itself(tx: Tx, revising: Revising, choose: Choose): Promise<ChangeOutcome> {
  return reviseBlock(tx, revising, async (_tx, current) => {
    const operation = await choose(tx, current.revision);
    const { value } = await requireRevision(tx, current.id, operation.to);
    const outcome = applyOperation(current, { kind: 'set', value });
    return outcome.ok ? { ...outcome, operation } : outcome;
  });
}

/** In a refinement, an earlier value is proposed on the branch, like any other edit. */
async function onBranch(tx: Tx, revising: Revising, choose: Choose): Promise<ChangeOutcome | undefined> {
  if ((await refinementOf(tx, revising)) === undefined) return undefined;
  const { id, revision } = await requireBlock(tx, revising.blockId);
  const { to } = await choose(tx, revision);
  const { value } = await requireRevision(tx, id, to);
  return changeOnBranch(tx, { ...revising, operation: { kind: 'set', value } });
}

// A revision shows the state of a change: its own or, for undo and redo, the one that they returned to. The revision
// before a change shows the state that it was made on.
const stateOf = (alias: string) =>
  sql.raw(
    `case when ${alias}.operation->>'kind' in ('undo', 'redo') then (${alias}.operation->>'to')::bigint else ${alias}.revision end`,
  );

function findUndo(tx: Tx, blockId: string, revision: number) {
  return sql<{ to: number }>`
    select ${stateOf('base')} as "to"
    from block_revisions current
    join block_revisions base on base.block_id = current.block_id and base.revision = ${stateOf('current')} - 1
    where current.block_id = ${blockId} and current.revision = ${revision}`.execute(tx);
}

/** The change to redo: made on the current state, on the way back from the last change. */
function findRedo(tx: Tx, blockId: string, revision: number) {
  return sql<{ to: number }>`
    with recursive shown as (
      select ${stateOf('r')} as state from block_revisions r where block_id = ${blockId} and revision = ${revision}
    ), way as (
      (select r.revision as state from block_revisions r
        where block_id = ${blockId} and r.operation->>'kind' not in ('undo', 'redo')
        order by revision desc limit 1)
      union all
      select ${stateOf('base')} from way
      join block_revisions base on base.block_id = ${blockId} and base.revision = way.state - 1
      where way.state > (select state from shown)
    )
    select way.state as "to" from way
    join block_revisions base on base.block_id = ${blockId} and base.revision = way.state - 1
    where ${stateOf('base')} = (select state from shown)
    limit 1`.execute(tx);
}
