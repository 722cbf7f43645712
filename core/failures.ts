/**
 * Names of the world's failures, as they appear in `ApplicationFailure.type`, in a run and in the Temporal UI.
 * The model's mistakes are no failures: they are values that the model reads.
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

/** Thrown by an adapter when the world outside refused or failed. Carries what a retry needs to know. */
export class WorldFailure extends Error {
  readonly type: FailureType;
  readonly retryable: boolean;
  /** How long the other side asked to be left alone, in ms. */
  readonly retryAfterMs: number | undefined;
  /** The HTTP status of the other side, where there was one. */
  readonly status: number | undefined;
  /**
   * The other side's own words, cut to 500 characters: for the run's row and for logs. `message` is ours alone, so that
   * it may enter a workflow's history; these may repeat contents and must not.
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
