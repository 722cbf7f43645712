import type { ModelAnswer, ModelDelta, ModelDescription, ModelRequest } from '../../core/models/model.js';

/** Options of a call. */
export interface CompleteOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each fragment as it arrives. */
  readonly onDelta?: ((delta: ModelDelta) => void) | undefined;
  /**
   * The purpose of the call, such as a step. Together with the request it determines the `Idempotency-Key` header, so
   * that another attempt at the same request sends the same key.
   */
  readonly idempotencyKey?: string | undefined;
  /** Time limit for the whole answer in ms. Default 10 minutes. */
  readonly timeoutMs?: number | undefined;
}

/** A model. It never retries; its callers do. */
export interface Model {
  readonly description: ModelDescription;
  /**
   * The model's whole answer. Throws WorldFailure for failures of the world, and the signal's reason when aborted.
   */
  complete(request: ModelRequest, options?: CompleteOptions): Promise<ModelAnswer>;
}

/** The configured models. */
export interface Models {
  /** The model of a handle `provider/model`, listed or not. Throws WorldFailure 'Model.NotConfigured'. */
  resolve(handle: string): Model;
  /** The models that the configured providers list, and the demo model. Providers that do not answer are left out. */
  list(): Promise<ModelDescription[]>;
  /**
   * Checks a provider by listing its models with this key, or the configured one. Throws WorldFailure where it
   * refuses the key or can't be reached, and 'Model.NotConfigured'.
   */
  check(prefix: string, apiKey?: string): Promise<void>;
  /** What is known of a handle, without a request. */
  describe(handle: string): ModelDescription;
}
