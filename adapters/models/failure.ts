import { APIConnectionTimeoutError, APIError } from 'openai';
import { WorldFailure, type FailureType } from '../../core/failures.js';
import { isContextOverflow } from './context-overflow.js';
import { createDetail } from './failure-detail.js';
import { readRetryAfter, type HeadersLike } from './retry-after.js';

/** The failed call. */
export interface FailedCall {
  readonly handle: string;
  /** The environment variable that holds the key. */
  readonly keyVariable: string;
  /** Texts that must not appear in the failure: the key, and what was sent. */
  readonly secrets: readonly string[];
  readonly sent: readonly string[];
}

/** The facts about a failure that the rules below use. */
interface Facts {
  /** The HTTP status, or the code of an error within a stream. */
  readonly status: number | undefined;
  /** The provider's `code` and `type`. */
  readonly codes: readonly string[];
  readonly words: string;
  readonly error: unknown;
}

interface Rule {
  readonly type: FailureType;
  readonly retryable: boolean;
  readonly when: (facts: Facts) => boolean;
  /** Follows "Model <handle> ". Never contains the provider's words, because it may enter a workflow's history. */
  readonly says: (call: FailedCall, facts: Facts) => string;
}

const statusIn = (...statuses: number[]) => {
  return ({ status }: Facts) => status !== undefined && statuses.includes(status);
};
const codeIn = (...names: string[]) => {
  return ({ codes }: Facts) => codes.some((code) => names.includes(code));
};

// The first matching rule counts.
const rules: readonly Rule[] = [
  {
    // A smaller request succeeds, whatever the status: servers report it as 400, 413, 429 or 500.
    type: 'Model.ContextOverflow',
    retryable: false,
    when: ({ status, codes, words }) => status === 413 || isContextOverflow(codes, words),
    says: () => 'refused the request because it is longer than its context window or its limit of tokens',
  },
  {
    // An empty account is not a rate limit, although OpenAI answers 429: its owner must top it up.
    type: 'Model.Unauthorized',
    retryable: false,
    when: (facts) =>
      facts.status === 402 ||
      codeIn('insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active')(facts) ||
      /credit balance is too low|insufficient (balance|credits)/i.test(facts.words),
    says: (call) => `has no credit left: the account behind ${call.keyVariable} must be topped up`,
  },
  {
    type: 'Model.Unauthorized',
    retryable: false,
    when: (facts) =>
      statusIn(401, 403)(facts) ||
      codeIn('invalid_api_key', 'authentication_error', 'permission_error')(facts) ||
      /API key not valid/i.test(facts.words),
    says: (call, { status }) => `refused the key${inBrackets(status)}: check ${call.keyVariable}`,
  },
  {
    type: 'Model.RateLimited',
    retryable: true,
    when: (facts) => facts.status === 429 || codeIn('rate_limit_exceeded', 'rate_limit_error')(facts),
    says: () => 'is rate-limited by its provider',
  },
  {
    type: 'Model.Timeout',
    retryable: true,
    when: (facts) =>
      facts.error instanceof APIConnectionTimeoutError ||
      isAbort(facts.error) ||
      statusIn(408)(facts) ||
      codeIn('timeout')(facts),
    says: (_, { status }) => `did not answer in time${inBrackets(status)}`,
  },
  {
    type: 'Model.BadRequest',
    retryable: false,
    when: (facts) =>
      (facts.status !== undefined && facts.status >= 400 && facts.status < 500 && facts.status !== 409) ||
      codeIn('invalid_request_error', 'invalid_prompt')(facts),
    says: (_, { status }) =>
      status === 404
        ? 'is not known to its provider (404): check the handle and the base URL'
        : `refused the request${inBrackets(status)}`,
  },
  {
    type: 'Model.Unavailable',
    retryable: true,
    when: ({ error }) => nameOf(error) === 'SyntaxError',
    says: () => 'sent an answer that is not JSON',
  },
  {
    // 409, 5xx, 529, connections that fail or break, and all else that goes wrong outside.
    type: 'Model.Unavailable',
    retryable: true,
    when: () => true,
    says: (_, { status }) =>
      status === undefined ? 'cannot be reached, or the connection broke' : `failed${inBrackets(status)}`,
  },
];

/** The WorldFailure for an error of a model call. Pure, except that it reads the clock for `retry-after`. */
export function toModelFailure(error: unknown, call: FailedCall): WorldFailure {
  if (error instanceof WorldFailure) return error;
  const facts = readFacts(error);
  const rule = rules.find((candidate) => candidate.when(facts));
  if (rule === undefined) throw new Error('the table of failures has no last row');
  const headers: HeadersLike | undefined =
    error instanceof APIError ? (error.headers as HeadersLike | undefined) : undefined;
  const override = headers?.get('x-should-retry');
  return new WorldFailure(rule.type, `Model ${call.handle} ${rule.says(call, facts)}.`, {
    retryable: override === 'true' || (override !== 'false' && rule.retryable),
    retryAfterMs: readRetryAfter(headers, Date.now()),
    status: facts.status,
    detail: createDetail(facts.words, call),
  });
}

/** A stream that ended before the model was done. */
export function cutStream(handle: string): WorldFailure {
  return new WorldFailure('Model.Unavailable', `Model ${handle} broke off in the middle of its answer.`, {
    retryable: true,
  });
}

/** A whole answer that took longer than it may. */
export function lateAnswer(handle: string, timeoutMs: number): WorldFailure {
  const message = `Model ${handle} did not finish its answer within ${Math.round(timeoutMs / 1000)} s.`;
  return new WorldFailure('Model.Timeout', message, { retryable: true });
}

/** A model that sends nothing, because its server hangs or is gone. */
export function silentModel(handle: string, silentMs: number): WorldFailure {
  const message = `Model ${handle} sent nothing for ${Math.round(silentMs / 1000)} s.`;
  return new WorldFailure('Model.Timeout', message, { retryable: true });
}

function readFacts(error: unknown): Facts {
  // A SyntaxError's message contains a piece of the answer.
  if (nameOf(error) === 'SyntaxError') return { status: undefined, codes: [], words: '', error };
  if (!(error instanceof APIError)) {
    return { status: undefined, codes: [], words: describeCause(error), error };
  }
  const body = (error.error ?? {}) as { message?: unknown; code?: unknown; type?: unknown };
  const status = (error.status as number | undefined) ?? toStatus(body.code);
  const codes = [body.code, body.type].filter((code) => typeof code === 'string');
  const words = typeof body.message === 'string' ? body.message : describeCause(error);
  return { status, codes, words, error };
}

/** Routers put an upstream's HTTP status in the code of an error within a stream. */
function toStatus(code: unknown): number | undefined {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
}

function describeCause(error: unknown): string {
  const { message, cause } = (error ?? {}) as { message?: unknown; cause?: unknown };
  const own = typeof message === 'string' ? message : '';
  return cause == null ? own : `${own} ${describeCause(cause)}`;
}

function isAbort(error: unknown): boolean {
  return ['AbortError', 'TimeoutError'].includes(nameOf(error));
}

/** By name rather than class: errors of `fetch` may come from another realm, which has other classes. */
function nameOf(error: unknown): string {
  const { name } = (error ?? {}) as { name?: unknown };
  return typeof name === 'string' ? name : '';
}

function inBrackets(status: number | undefined): string {
  return status === undefined ? '' : ` (${status})`;
}
