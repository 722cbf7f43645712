import type { EmbeddingDescription } from '../../core/models/model.js';

/** Turns texts into vectors of length 1, so that their inner product is their similarity. */
export interface Embedder {
  /** `dimensions` is 0 for an unknown model that has not answered yet. */
  readonly description: EmbeddingDescription;
  /**
   * One vector per text, in order. Throws WorldFailure 'Embedding.Unavailable' (retryable) or 'Embedding.Refused',
   * and the signal's reason when aborted. Never retries.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<number[][]>;
}

interface EmbedOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The configured embedding models. */
export interface Embeddings {
  /** The handle for agents that name none. */
  readonly defaultHandle: string;
  /** The embedder of a handle; of the default one without an argument. Throws WorldFailure 'Model.NotConfigured'. */
  resolve(handle?: string): Embedder;
  /** The local model, and the known models of configured providers. Makes no requests. */
  list(): EmbeddingDescription[];
  /** Stops the local model's thread. It starts again when needed. */
  close(): Promise<void>;
}
