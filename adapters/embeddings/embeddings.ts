import { WorldFailure } from '../../core/failures.js';
import type { EmbeddingDescription } from '../../core/models/model.js';
import { splitHandle } from '../models/handle.js';
import {
  describeMissing,
  findEndpoint,
  findProvider,
  providers,
  type ProvidersConfig,
} from '../models/providers.js';
import type { Embedder, Embeddings } from './embedder.js';
import { createOpenAiEmbedder } from './openai-embedder.js';
import { createUseLite, useLiteDescription } from './use-lite.js';

/** Handles of Letta's own hosted model, which programs for Letta name. They mean the local model. */
const aliases: Readonly<Record<string, string>> = { 'letta/letta-free': useLiteDescription.handle };

/** Dimensions of known models, by their names without a tag. */
const knownModels: readonly (readonly [
  provider: keyof ProvidersConfig,
  model: string,
  dimensions: number,
])[] = [
  ['openai', 'text-embedding-3-small', 1536],
  ['openai', 'text-embedding-3-large', 3072],
  ['openai', 'text-embedding-ada-002', 1536],
  ['gemini', 'gemini-embedding-001', 3072],
  ['gemini', 'text-embedding-004', 768],
];

/** The local embedding model and those of the configured providers. */
export function createEmbeddings(
  config: ProvidersConfig,
  options: { readonly defaultHandle?: string } = {},
): Embeddings {
  const defaultHandle = options.defaultHandle ?? useLiteDescription.handle;
  const useLite = createUseLite();
  const resolved = new Map<string, Embedder>([[useLiteDescription.handle, useLite]]);
  return {
    defaultHandle,
    resolve(named = defaultHandle) {
      const handle = aliases[named] ?? named;
      const known = resolved.get(handle);
      if (known !== undefined) return known;
      const embedder = createEmbedder(config, handle);
      resolved.set(handle, embedder);
      return embedder;
    },
    list: () => [useLiteDescription, ...listKnown(config)],
    close: () => useLite.close(),
  };
}

function createEmbedder(config: ProvidersConfig, handle: string): Embedder {
  const { prefix, model } = splitHandle(handle);
  const provider = findProvider(prefix);
  if (provider === undefined || model === '') {
    const prefixes = providers.flatMap((candidate) => candidate.prefixes).join(', ');
    throw notConfigured(
      `There is no embedding model ${handle}: a handle is provider/model, ` +
        `the providers are ${prefixes}, and ${useLiteDescription.handle} is built in.`,
    );
  }
  const endpoint = findEndpoint(config, provider);
  if (endpoint === undefined) {
    throw notConfigured(
      `Embedding model ${handle} needs ${describeMissing(provider)}. ${useLiteDescription.handle} needs none.`,
    );
  }
  const dimensions = findDimensions(provider.config, model);
  return createOpenAiEmbedder(
    { handle, provider: prefix, model, dimensions, endpoint: endpoint.baseUrl },
    endpoint,
  );
}

function findDimensions(provider: keyof ProvidersConfig, model: string): number {
  return knownModels.find(([known, name]) => known === provider && name === model)?.[2] ?? 0;
}

function listKnown(config: ProvidersConfig): EmbeddingDescription[] {
  return providers.flatMap((provider) => {
    const endpoint = findEndpoint(config, provider);
    if (endpoint === undefined) return [];
    const prefix = provider.prefixes[0];
    return knownModels
      .filter(([known]) => known === provider.config)
      .map(([, model, dimensions]) => ({
        handle: `${prefix}/${model}`,
        provider: prefix,
        model,
        dimensions,
        endpoint: endpoint.baseUrl,
      }));
  });
}

function notConfigured(message: string): WorldFailure {
  return new WorldFailure('Model.NotConfigured', message, { retryable: false });
}
