import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { refinementSettings } from '../core/groups/groups.js';
import { inputTokens, type RefinementDocument, splitText } from '../core/refinement/refinement.js';
import { type Db, inTransaction } from '../schema/db/database.js';
import { requireGroup } from '../schema/groups/groups.js';
import type { Page } from '../schema/db/paging.js';
import { approveRefinement, rejectRefinement } from '../schema/refinement/review.js';
import { type RefinementRequest, requestRefinement, requireRequest } from '../schema/refinement/requests.js';
import {
  listRefinements,
  type Refinement,
  type RefinementFilter,
  requireRefinement,
} from '../schema/refinement/refinements.js';
import type { PartnerBell } from './partner-bell.js';

/** What to refine. */
export interface RefineOptions {
  /** What the partner is to pay attention to. */
  readonly instructions?: string | undefined;
  /** Documents to refine, instead of the messages since the last refinement. */
  readonly documents?: readonly RefinementDocument[] | undefined;
  /** How often the documents are read. Default 1. */
  readonly cycles?: number | undefined;
}

/** Refinements that are requested by hand. Every method may be called from any process. */
export interface SleepTime {
  /**
   * Asks each partner of the group to refine the memory now. Once it returns, the requests can't be lost.
   * Throws GroupNotFoundError.
   */
  refine(groupId: string, options?: RefineOptions): Promise<readonly RefinementRequest[]>;
  /** Throws RefinementRequestNotFoundError. */
  request(requestId: string): Promise<RefinementRequest>;
  /** Waits until the request is done; returns its refinements, oldest first. Throws RefinementRequestNotFoundError. */
  result(requestId: string, options?: { signal?: AbortSignal }): Promise<readonly Refinement[]>;
  /** Refinements by creation, paged. */
  list(filter: RefinementFilter, page?: Page): Promise<readonly Refinement[]>;
  /** Throws RefinementNotFoundError. */
  retrieve(refinementId: string): Promise<Refinement>;
  /**
   * Merges edits that wait for approval; `values` gives blocks, by id, the text that they are to have where others
   * changed the same lines. Throws RefinementNotFoundError, RefinementStateError and RefinementConflictError.
   */
  approve(refinementId: string, values?: Readonly<Record<string, string>>): Promise<Refinement>;
  /** Throws RefinementNotFoundError and RefinementStateError. */
  reject(refinementId: string): Promise<Refinement>;
}

/** What refinements depend on. */
export interface SleepTimeDeps {
  readonly db: Db;
  readonly partners: PartnerBell;
  /** Told when a partner could not be woken: its request is stored, and the sweep will wake it. */
  readonly onWakeFailed?: (error: unknown) => void;
}

/** How often waiting code looks at the rows, in ms. */
const pollMs = 250;

/** Characters per token, a low estimate: it limits the parts of a document. */
const charactersEach = 3;

/** The smallest context window that a partner is expected to have, in tokens. */
const usualWindow = 32_000;

export function createSleepTime({ db, partners, onWakeFailed }: SleepTimeDeps): SleepTime {
  return {
    async refine(groupId, options = {}) {
      const group = await requireGroup(db, groupId);
      const { maxTokens } = refinementSettings(group.managerConfig);
      const size = inputTokens({ window: usualWindow, maxTokens }) * charactersEach;
      const parts = options.documents?.flatMap((document) => toParts(document, size)) ?? null;
      const requests = await inTransaction(db, (tx) =>
        Promise.all(
          group.agentIds.map(async (partnerId) => {
            const id = `request-${randomUUID()}`;
            const { instructions = null, cycles = 1 } = options;
            await requestRefinement(tx, {
              id,
              groupId,
              partnerId,
              cause: 'hand',
              instructions,
              parts,
              cycles,
            });
            return requireRequest(tx, id);
          }),
        ),
      );
      for (const partnerId of group.agentIds) {
        await partners.wake(partnerId).catch((error: unknown) => onWakeFailed?.(error));
      }
      return requests;
    },
    request: (requestId) => requireRequest(db, requestId),
    async result(requestId, { signal } = {}) {
      for (;;) {
        const { state, groupId } = await requireRequest(db, requestId);
        const refinements = await listRefinements(db, { groupId, requestId }, { order: 'asc' });
        if (state !== 'waiting' && refinements.every((refinement) => refinement.state !== 'running'))
          return refinements;
        await delay(pollMs, undefined, signal === undefined ? {} : { signal });
      }
    },
    list: (filter, page = {}) => listRefinements(db, filter, page),
    retrieve: (refinementId) => requireRefinement(db, refinementId),
    async approve(refinementId, values) {
      await approveRefinement(db, refinementId, values);
      return requireRefinement(db, refinementId);
    },
    async reject(refinementId) {
      await rejectRefinement(db, refinementId);
      return requireRefinement(db, refinementId);
    },
  };
}

function toParts({ name, text }: RefinementDocument, size: number) {
  const texts = splitText(text, size);
  return texts.map((part, index) => ({ name, text: part, part: index + 1, parts: texts.length }));
}
