import type { FastifyError } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { WorldFailure } from '../../core/failures.js';
import { isDiskFull } from '../../adapters/settings/full-disk.js';
import { McpCommandsOffError, McpError } from '../../adapters/mcp/mcp-server.js';
import { isLate, isOutage } from '../../schema/db/outages.js';
import { BlockConflictError } from '../../schema/blocks/errors.js';
import { ClashError, MissingError, MistakeError, UnfitError } from '../../schema/db/errors.js';
import { RefinementConflictError } from '../../schema/refinement/errors.js';
import { VaultError } from '../../schema/db/vault.js';
import { PendingApprovalError } from '../../schema/threads/errors.js';

/** An error answer: the status, a sentence for people, and further fields of the body. */
export interface Problem {
  readonly status: number;
  readonly detail: string;
  readonly more?: Readonly<Record<string, unknown>>;
  /** After how long the same request is worth sending again; absent: the client decides. */
  readonly retryAfterSeconds?: number;
}

/** Thrown for a well-formed request that can't be served. The message is for the user and says what to do. */
export class RequestRefusedError extends Error {
  override readonly name = 'RequestRefusedError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Thrown while an address that sent wrong passwords has to wait. */
export class TooManyGuessesError extends Error {
  override readonly name = 'TooManyGuessesError';
  readonly seconds: number;

  constructor(seconds: number) {
    super(`Too many wrong passwords came from this address. Wait ${seconds} s, and send the right one.`);
    this.seconds = seconds;
  }
}

const statuses: readonly (readonly [abstract new (...args: never[]) => Error, number])[] = [
  [MissingError, 404],
  [ClashError, 409],
  [MistakeError, 400],
  [UnfitError, 422],
  [VaultError, 501],
  [McpCommandsOffError, 403],
  [McpError, 502],
];

/** The answer for anything that a route throws. Undefined: a fault of ours, which is answered with 500. */
export function findProblem(error: unknown): Problem | undefined {
  if (error instanceof RequestRefusedError) return { status: error.status, detail: error.message };
  if (error instanceof TooManyGuessesError) {
    return { status: 429, detail: error.message, retryAfterSeconds: error.seconds };
  }
  if (error instanceof WorldFailure) return worldProblem(error);
  // Before the next line: `isOutage` counts a full disk among what passes by itself.
  if (isDiskFull(error)) return diskFullProblem;
  if (isOutage(error)) return isLate(error) ? lateProblem : outageProblem;
  if (hasZodFastifySchemaValidationErrors(error)) return validationProblem(error);
  if (!(error instanceof Error)) return undefined;
  const status = statuses.find(([kind]) => error instanceof kind)?.[1];
  if (status !== undefined) return { status, detail: error.message, ...moreOf(error) };
  return fastifyProblem(error);
}

/** Never for a request whose message was accepted: that one waits until the outage is over (`throughOutages`). */
const outageProblem: Problem = {
  status: 503,
  detail: 'The database can’t be reached, so the request was not accepted. Send it again in a moment.',
  retryAfterSeconds: 1,
};

const diskFullProblem: Problem = {
  status: 507,
  detail:
    'The server’s disk is full, so the request was not accepted. Free some space on it and send the request again.',
};

const lateProblem: Problem = {
  ...outageProblem,
  detail:
    'The database was too busy to serve this in time, so the request was not accepted. Send it again in a moment.',
};

function moreOf(error: Error): { more?: Readonly<Record<string, unknown>> } {
  if (error instanceof RefinementConflictError)
    return { more: { conflicts: error.conflicts.map(toConflict) } };
  if (error instanceof PendingApprovalError) return { more: { detail: toPendingDetail(error) } };
  if (!(error instanceof BlockConflictError)) return {};
  const { blockId, revision, value, base, difference } = error;
  return { more: { block_id: blockId, revision, value, base_revision: base, difference } };
}

/** In Letta's form, with the calls that wait. */
function toPendingDetail({ message, messageId, toolCallIds }: PendingApprovalError) {
  return {
    ...{ code: 'PENDING_APPROVAL', message },
    ...{ pending_request_id: messageId, tool_call_ids: toolCallIds },
  };
}

function toConflict({ blockId, label, current, yours, why }: RefinementConflictError['conflicts'][number]) {
  return { block_id: blockId, label, current, yours, why };
}

function worldProblem(failure: WorldFailure): Problem {
  switch (failure.type) {
    case 'Model.NotConfigured':
      return { status: 404, detail: `NOT_FOUND: ${failure.message}` };
    case 'Model.Unauthorized':
      return { status: 401, detail: failure.message };
    case 'Model.RateLimited':
      return { status: 429, detail: failure.message };
    case 'Model.Timeout':
      return { status: 504, detail: failure.message };
    case 'Model.BadRequest':
    case 'Model.ContextOverflow':
    case 'Embedding.Refused':
      return { status: 400, detail: failure.message };
    case 'Model.Unavailable':
    case 'Embedding.Unavailable':
    case 'Archive.Unavailable':
    case 'Database.Unavailable':
      return { status: 503, detail: failure.message };
    case 'Extension.NotLoaded':
    case 'Extension.Failed':
    case 'Turn.Fenced':
      return { status: 409, detail: failure.message };
  }
}

/** A request that does not fit its schema: one sentence for people, and the list of faults for programs. */
function validationProblem(error: {
  validation: readonly { instancePath: string; message?: string | undefined; keyword: string }[];
  validationContext?: string | undefined;
}): Problem {
  const where =
    { params: 'path', querystring: 'query', headers: 'header' }[error.validationContext ?? ''] ?? 'body';
  const errors = error.validation.map((one) => ({
    type: one.keyword,
    loc: [where, ...one.instancePath.split('/').filter((part) => part !== '')],
    msg: one.message ?? 'is not valid',
  }));
  const detail = errors.map((one) => `${one.loc.join('.')}: ${one.msg}`).join('; ');
  return { status: 422, detail, more: { errors } };
}

function fastifyProblem(error: Error & Partial<FastifyError>): Problem | undefined {
  const { code = '' } = error;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return {
        status: 413,
        detail: 'Request body is too large. Send less at once, or split it into several requests.',
      };
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return { status: 422, detail: `body: is not valid JSON (${error.message}). Send a JSON object.` };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return {
        status: 415,
        detail: 'The body must be JSON: send it with the header `content-type: application/json`.',
      };
  }
  const { statusCode } = error;
  if (statusCode === undefined || statusCode >= 500) return undefined;
  return { status: statusCode, detail: error.message };
}
