/**
 * Types of the world's failures, as `ApplicationFailure.type`, a run and the Temporal UI show them. The model's
 * mistakes are values that the model reads instead.
 */
export const failureTypes = [
  'Model.RateLimited',
  'Model.Unavailable',
  'Model.Timeout',
  'Model.Unauthorized',
  'Model.BadRequest',
  'Model.NotConfigured',
  'Model.ContextOverflow',
  'Embedding.Unavailable',
  'Embedding.Refused',
  'Extension.NotLoaded',
  'Extension.Failed',
  'Archive.Unavailable',
  'Database.Unavailable',
  'Turn.Fenced',
] as const;

export type FailureType = (typeof failureTypes)[number];

/** Thrown by an adapter when something outside refused or failed. Carries what a retry needs to know. */
export class WorldFailure extends Error {
  readonly type: FailureType;
  readonly retryable: boolean;
  /** How long the other side asked us to wait, in ms. */
  readonly retryAfterMs: number | undefined;
  /** The HTTP status of the other side, where there was one. */
  readonly status: number | undefined;
  /**
   * The other side's own words, at most 500 characters, for the run's row and logs. They may repeat contents, so
   * unlike `message` they must never enter a workflow's history.
   */
  readonly detail: string | undefined;

  constructor(
    type: FailureType,
    message: string,
    options: {
      retryable: boolean;
      retryAfterMs?: number | undefined;
      status?: number | undefined;
      detail?: string | undefined;
      cause?: unknown;
    },
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'WorldFailure';
    this.type = type;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
    this.detail = options.detail;
  }
}
