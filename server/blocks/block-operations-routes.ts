import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { effectOfKey } from '../../client/blocks.js';
import { changeBlock } from '../../schema/blocks/changes.js';
import { restoreBlock, stepBlock } from '../../schema/blocks/restoring.js';
import type { Revising } from '../../schema/blocks/writing.js';
import { accepted, parseRevision, replyBlock } from './block-writes.js';
import { authorOf, type RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { blockOperationBody, revisionNumber } from './revisions-wire.js';
import { wireBlock } from './blocks-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { blockParams } from '../http/params-wire.js';

/** `If-Match`: only if the block is still at that revision. `Idempotency-Key`: a repeated request changes nothing. */
const editingHeaders = z.looseObject({
  'if-match': z.string().optional(),
  'idempotency-key': z.string().min(1).max(200).optional(),
});

/** Edits of a block: operations on its value, undo, redo and restore. Not part of Letta's API. */
export function blockEditingRoutes(app: App, { db }: RouteContext): void {
  app.post(
    '/v1/blocks/:block_id/operations',
    {
      schema: {
        ...describeRoute(
          'blocks.operations.create',
          'Append, insert, replace, rewrite or set, applied to the current value',
        ),
        params: blockParams,
        headers: editingHeaders,
        body: blockOperationBody,
        response: { 200: wireBlock },
      },
    },
    async (request, reply) => {
      const outcome = await changeBlock(db, { ...toRevising(request), operation: request.body });
      return replyBlock(reply, accepted(outcome));
    },
  );
  for (const wish of ['undo', 'redo'] as const) {
    app.post(
      `/v1/blocks/:block_id/${wish}`,
      {
        schema: {
          ...describeRoute(
            `blocks.${wish}`,
            wish === 'undo'
              ? 'Undo the last change; again, the one before it'
              : 'Redo the change that was undone last',
          ),
          params: blockParams,
          headers: editingHeaders,
          response: { 200: wireBlock },
        },
      },
      async (request, reply) => {
        const outcome = await stepBlock(db, wish, toRevising(request));
        return replyBlock(reply, accepted(outcome));
      },
    );
  }
  app.post(
    '/v1/blocks/:block_id/restore',
    {
      schema: {
        ...describeRoute('blocks.restore', 'Restore the value of an earlier revision'),
        params: blockParams,
        headers: editingHeaders,
        body: z.object({ revision: revisionNumber }),
        response: { 200: wireBlock },
      },
    },
    async (request, reply) => {
      const outcome = await restoreBlock(db, request.body.revision, toRevising(request));
      return replyBlock(reply, accepted(outcome));
    },
  );
}

interface EditingRequest extends Pick<FastifyRequest, 'toolCaller'> {
  readonly params: z.infer<typeof blockParams>;
  readonly headers: z.infer<typeof editingHeaders>;
}

function toRevising(request: EditingRequest): Revising {
  const { headers } = request;
  const { block_id: blockId } = request.params;
  const key = headers['idempotency-key'];
  return {
    ...authorOf(request),
    blockId,
    ifRevision: parseRevision(headers['if-match']),
    effectId: key === undefined ? undefined : effectOfKey(blockId, key),
  };
}
