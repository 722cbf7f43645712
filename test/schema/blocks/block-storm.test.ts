import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RevisionOperation } from '../../../core/blocks/blocks.js';
import { changeBlock } from '../../../schema/blocks/changes.js';
import { stepBlock } from '../../../schema/blocks/restoring.js';
import { listRevisions } from '../../../schema/blocks/revisions.js';
import type { ChangeOutcome } from '../../../schema/blocks/writing.js';
import { createBlock, requireBlock } from '../../../schema/blocks/blocks.js';
import { NothingToUndoError } from '../../../schema/blocks/errors.js';
import { openTestDatabase, type OpenedDatabase } from '../fixtures.js';

/** The next edit of a writer that does not know what the others do. */
type Edit =
  | { readonly kind: 'append' | 'set' | 'merge'; readonly text: string }
  | { readonly kind: 'insert'; readonly text: string; readonly line: 0 | -1 }
  | { readonly kind: 'replace'; readonly old: string; readonly text: string }
  | { readonly kind: 'undo' };

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n', 'é'), maxLength: 6 });
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), text }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('insert' as const), text, line: fc.constantFrom(0, -1) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('replace' as const), old: fc.constantFrom('a', 'b'), text }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('merge' as const), text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('set' as const), text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('undo' as const) }) },
);

describe('many writers of one block', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase(12);
  });
  afterAll(() => database.close());

  const aBlock = () => createBlock(database.db, { label: 'notes', value: 'start', limit: 1_000_000 });

  async function make(blockId: string, step: Edit): Promise<ChangeOutcome | undefined> {
    const by = { blockId, actor: 'user' as const };
    switch (step.kind) {
      case 'append':
        return changeBlock(database.db, { ...by, operation: { kind: 'append', content: step.text } });
      case 'set':
        return changeBlock(database.db, { ...by, operation: { kind: 'set', value: step.text } });
      case 'insert':
        return changeBlock(database.db, {
          ...by,
          operation: { kind: 'insert', content: step.text, line: step.line },
        });
      case 'replace':
        return changeBlock(database.db, {
          ...by,
          operation: { kind: 'replace', old: step.old, new: step.text, all: true },
        });
      case 'merge': {
        const { value, revision: base } = await requireBlock(database.db, blockId);
        return changeBlock(database.db, {
          ...by,
          operation: { kind: 'rewrite', value: `${value}${step.text}`, base },
        });
      }
      case 'undo':
        return stepBlock(database.db, 'undo', by).catch((error: unknown) => {
          if (!(error instanceof NothingToUndoError)) throw error;
          return undefined;
        });
    }
  }

  it('[block.storm-mixed] leave the value of the same operations in sequence, each accepted one applied once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(edit, { maxLength: 10 }), { minLength: 2, maxLength: 8 }),
        async (writers) => {
          const { id } = await aBlock();

          const outcomes = await Promise.all(
            writers.map(async (edits) => {
              const made: (ChangeOutcome | undefined)[] = [];
              for (const step of edits) made.push(await make(id, step));
              return made;
            }),
          );

          const revisions = await listRevisions(database.db, id, { order: 'asc', limit: 200 });
          const values: string[] = [];
          for (const { revision, operation, value } of revisions) {
            values.push(applied(values, revision, operation));
            expect(value).toBe(values.at(-1));
          }
          expect((await requireBlock(database.db, id)).value).toBe(values.at(-1));
          const accepted = outcomes.flat().flatMap((one) => (one?.ok === true ? [one.block] : []));
          expect(accepted.map(({ revision }) => revision).sort((a, b) => a - b)).toEqual(
            revisions.slice(1).map(({ revision }) => revision),
          );
          for (const { revision, value } of accepted) expect(value).toBe(values[revision - 1]);
          const refused = outcomes.flat().flatMap((one) => (one?.ok === false ? [one.code] : []));
          expect(new Set(['conflict', 'not_found', ...refused]).size).toBe(2);
        },
      ),
      { numRuns: 20 },
    );
  });

  const lines = (writer: number): string[] =>
    Array.from({ length: 20 }, (_, line) => `writer ${writer} line ${line}`);
  const all = Array.from({ length: 10 }, (_, writer) => lines(writer)).flat();

  async function storm(write: (blockId: string, line: string) => Promise<unknown>): Promise<string[]> {
    const { id } = await aBlock();
    await Promise.all(
      Array.from({ length: 10 }, async (_, writer) => {
        for (const line of lines(writer)) await write(id, line);
      }),
    );
    return (await requireBlock(database.db, id)).value.split('\n').slice(1);
  }

  it('[block.storm-mixed] keep every line that they append', async () => {
    const kept = await storm((id, line) => make(id, { kind: 'append', text: line }));

    expect([...kept].sort()).toEqual([...all].sort());
  });

  it('[block.storm-control] lose lines when they write back a copy', async () => {
    const kept = await storm(async (id, line) => {
      const { value } = await requireBlock(database.db, id);
      return make(id, { kind: 'set', text: `${value}\n${line}` });
    });

    expect(kept.length).toBeLessThan(all.length);
  });
});

/** A sequential model of a block: its value after an operation, from all values before. */
function applied(values: readonly string[], revision: number, operation: RevisionOperation): string {
  const now = values.at(-1) ?? '';
  switch (operation.kind) {
    case 'create':
      return 'start';
    case 'append':
      return now === '' ? operation.content : `${now}\n${operation.content}`;
    case 'insert':
      if (now === '') return operation.content;
      return operation.line === 0 ? `${operation.content}\n${now}` : `${now}\n${operation.content}`;
    case 'replace':
      return now.replaceAll(operation.old, () => operation.new);
    case 'rewrite':
      expect(operation.base).toBe(revision - 1);
      return operation.value;
    case 'set':
      return operation.value;
    case 'patch':
      throw new Error('Nobody patches in the storm.');
    case 'undo':
    case 'redo':
    case 'restore':
      return values[operation.to - 1] ?? '';
  }
}
