import type { ModelAnswer, ModelDelta, ModelDescription, ModelRequest } from '../../core/turns/model.js';

/** How one call is made. */
export interface CompleteOptions {
  /** Aborting it rejects the call with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
  /** Told each fragment as it arrives, in order. */
  readonly onDelta?: ((delta: ModelDelta) => void) | undefined;
  /**
   * What the call is for, such as a step. With what is asked it makes the `Idempotency-Key` header, for servers that know
   * it: another attempt that asks the same sends the same.
   */
  readonly idempotencyKey?: string | undefined;
  /** Time for the whole answer in ms; 10 minutes unless given. */
  readonly timeoutMs?: number | undefined;
}

/** A model that answers. It never retries: who calls it does. */
export interface Model {
  readonly description: ModelDescription;
  /** The model's whole answer. Throws WorldFailure for the world's failures, the signal's reason when aborted. */
  complete(request: ModelRequest, options?: CompleteOptions): Promise<ModelAnswer>;
}

/** The models that the settings give access to. */
export interface Models {
  /** The model of a handle `provider/model`, listed or not. Throws WorldFailure 'Model.NotConfigured'. */
  resolve(handle: string): Model;
  /** What the configured providers say they have, and the demo model. A provider that does not answer is left out. */
  list(): Promise<ModelDescription[]>;
  /**
   * Asks a configured provider, by the prefix of its handles, for its models: with this key, or its own. Throws
   * WorldFailure where it refuses the key or can't be reached, and 'Model.NotConfigured'.
   */
  check(prefix: string, apiKey?: string): Promise<void>;
  /** What is known of a handle without asking anyone. */
  describe(handle: string): ModelDescription;
}
