import type { EmbeddingDescription } from '../../core/turns/model.js';

/** Turns texts into vectors of length 1, so that their inner product is their similarity. */
export interface Embedder {
  /** `dimensions` is 0 for a model that is not known and has not answered yet. */
  readonly description: EmbeddingDescription;
  /**
   * One vector for each text, in order. Throws WorldFailure 'Embedding.Unavailable' (retryable) or 'Embedding.Refused',
   * and the signal's own reason when aborted. Never retries.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<number[][]>;
}

interface EmbedOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The embedding models that the settings give access to. */
export interface Embeddings {
  /** The handle that agents get that name none. */
  readonly defaultHandle: string;
  /** The embedder of a handle; of the default one without an argument. Throws WorldFailure 'Model.NotConfigured'. */
  resolve(handle?: string): Embedder;
  /** The local model, and the known models of configured providers. Asks nobody. */
  list(): EmbeddingDescription[];
  /** Stops the local model's thread, if it runs. It starts again when it is needed. */
  close(): Promise<void>;
}
