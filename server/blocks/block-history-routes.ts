import { z } from 'zod';
import { unifiedDiff } from '../../core/blocks/unified-diff.js';
import { blameRevision } from '../../schema/blocks/blame.js';
import { listRevisions, requireRevision, revisionAsOf } from '../../schema/blocks/revisions.js';
import { requireBlock } from '../../schema/blocks/blocks.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { RequestRefusedError } from '../http/problems.js';
import {
  revisionNumber,
  toWireBlame,
  toWireRevision,
  toWireRevisionWithValue,
  wireBlamedLine,
  wireDifference,
  wireRevision,
  wireRevisionWithValue,
} from './revisions-wire.js';
import { exactMoment } from '../http/fields-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { blockParams } from '../http/params-wire.js';

const listQuery = z.object({
  before: revisionNumber.optional(),
  after: revisionNumber.optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(50),
  order: z.enum(['asc', 'desc']).default('desc'),
});
const asOfQuery = z.object({ at: exactMoment.optional(), revision: revisionNumber.optional() });
const diffQuery = z.object({ from: revisionNumber.optional(), to: revisionNumber.optional() });

/** A block's history: revisions, as-of, diff and blame. Not part of Letta's API. */
export function blockHistoryRoutes(app: App, context: RouteContext): void {
  revisionRoutes(app, context);
  comparisonRoutes(app, context);
}

function revisionRoutes(app: App, { db }: RouteContext): void {
  app.get(
    '/v1/blocks/:block_id/revisions',
    {
      schema: {
        ...describeRoute(
          'blocks.revisions.list',
          'List a block’s revisions, newest first; `before` and `after` are revision numbers',
        ),
        params: blockParams,
        querystring: listQuery,
        response: { 200: z.array(wireRevision) },
      },
    },
    async ({ params, query }) => {
      const { id } = await requireBlock(db, params.block_id);
      return (await listRevisions(db, id, toRange(query))).map(toWireRevision);
    },
  );
  app.get(
    '/v1/blocks/:block_id/revisions/:revision',
    {
      schema: {
        ...describeRoute('blocks.revisions.retrieve', 'Retrieve a revision with the value after it'),
        params: blockParams.extend({ revision: revisionNumber }),
        response: { 200: wireRevisionWithValue },
      },
    },
    async ({ params }) => {
      const { id } = await requireBlock(db, params.block_id);
      return toWireRevisionWithValue(await requireRevision(db, id, params.revision));
    },
  );
  app.get(
    '/v1/blocks/:block_id/as-of',
    {
      schema: {
        ...describeRoute(
          'blocks.as_of.retrieve',
          'Retrieve the revision that was current at a time (`at`), or the one with a number (`revision`)',
        ),
        params: blockParams,
        querystring: asOfQuery,
        response: { 200: wireRevisionWithValue },
      },
    },
    async ({ params, query: { at, revision } }) => {
      const { id } = await requireBlock(db, params.block_id);
      if (at !== undefined && revision === undefined)
        return toWireRevisionWithValue(await revisionAsOf(db, id, at));
      if (revision !== undefined && at === undefined)
        return toWireRevisionWithValue(await requireRevision(db, id, revision));
      throw new RequestRefusedError(422, 'query: give either `at`, a time, or `revision`, a number.');
    },
  );
}

function comparisonRoutes(app: App, { db }: RouteContext): void {
  app.get(
    '/v1/blocks/:block_id/diff',
    {
      schema: {
        ...describeRoute(
          'blocks.diff.retrieve',
          'Compare two revisions as a unified diff. Defaults: `to` is the current one, `from` the one before it',
        ),
        params: blockParams,
        querystring: diffQuery,
        response: { 200: wireDifference },
      },
    },
    async ({ params, query }) => {
      const block = await requireBlock(db, params.block_id);
      const to = query.to ?? block.revision;
      const from = query.from ?? Math.max(1, to - 1);
      const [before, after] = await Promise.all([
        requireRevision(db, block.id, from),
        requireRevision(db, block.id, to),
      ]);
      return { block_id: block.id, from, to, difference: unifiedDiff(before.value, after.value) };
    },
  );
  app.get(
    '/v1/blocks/:block_id/blame',
    {
      schema: {
        ...describeRoute(
          'blocks.blame.retrieve',
          'List the lines of the current value, or of a `revision`, each with the revision that wrote it',
        ),
        params: blockParams,
        querystring: z.object({ revision: revisionNumber.optional() }),
        response: { 200: z.array(wireBlamedLine) },
      },
    },
    async ({ params, query }) => {
      const block = await requireBlock(db, params.block_id);
      const revision = await requireRevision(db, block.id, query.revision ?? block.revision);
      return toWireBlame(await blameRevision(db, revision));
    },
  );
}

function toRange(query: z.infer<typeof listQuery>) {
  const { order, limit } = query;
  // Cursors follow the list's order, as everywhere; `listRevisions` takes them by number.
  return order === 'asc'
    ? { order, limit, before: query.before, after: query.after }
    : { order, limit, before: query.after, after: query.before };
}
