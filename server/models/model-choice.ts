import { providers } from '../../adapters/models/providers.js';
import {
  type EmbeddingConfigBody,
  handleOfEmbeddingConfig,
  handleOfLlmConfig,
  type LlmConfigBody,
} from './model-configs-wire.js';
import type { ServerDeps } from '../deps.js';
import { RequestRefusedError } from '../http/problems.js';

interface RequestedModel {
  readonly model?: string | null | undefined;
  readonly llm_config?: LlmConfigBody | null | undefined;
}

interface RequestedEmbedding {
  readonly embedding?: string | null | undefined;
  readonly embedding_config?: EmbeddingConfigBody | null | undefined;
}

/**
 * The handle of the model that a request names in either of its two forms; undefined where it names none. Throws what
 * `Models.resolve` throws, so that no agent gets a model that can't be called.
 */
export function findModel(deps: ServerDeps, wish: RequestedModel): string | undefined {
  const handle = wish.model ?? (wish.llm_config == null ? undefined : handleOfLlmConfig(wish.llm_config));
  if (handle === undefined) return undefined;
  if (handle.startsWith('letta/')) throw lettaHosted(handle);
  return deps.models.resolve(handle).description.handle;
}

/** The model of a new agent: the one named, else the server's default. There is no built-in fallback. */
export function chooseModel(deps: ServerDeps, wish: RequestedModel): string {
  const handle = findModel(deps, wish) ?? findModel(deps, { model: deps.settings.model });
  if (handle !== undefined) return handle;
  throw new RequestRefusedError(
    400,
    `No model was given. Give \`model\` as provider/model (${usableHandles(deps)}), or set PERDURE_MODEL for a default. GET /v1/models/ lists the models.`,
  );
}

/** As `findModel`, for embeddings. An alias is replaced by the model that it stands for. */
export function findEmbedding(deps: ServerDeps, wish: RequestedEmbedding): string | undefined {
  const config = wish.embedding_config;
  const handle = wish.embedding ?? (config == null ? undefined : handleOfEmbeddingConfig(config));
  return handle === undefined ? undefined : deps.embeddings.resolve(handle).description.handle;
}

/** The embedding model of a new agent: the one named, else the server's default. */
export function chooseEmbedding(deps: ServerDeps, wish: RequestedEmbedding): string {
  return findEmbedding(deps, wish) ?? deps.embeddings.resolve().description.handle;
}

function lettaHosted(handle: string): RequestRefusedError {
  return new RequestRefusedError(
    404,
    `NOT_FOUND: Model ${handle} is hosted by Letta and can't be called from here. Use a model of your own provider, such as openai/gpt-4o-mini with OPENAI_API_KEY set, or perdure/demo for a first run without a key.`,
  );
}

function usableHandles(deps: ServerDeps): string {
  const prefixes = providers
    .map((provider) => provider.prefixes[0])
    .filter((prefix) => deps.models.describe(`${prefix}/model`).endpoint !== undefined);
  const configured = prefixes.map((prefix) => `${prefix}/…`);
  return `configured: ${[...configured, 'perdure/demo'].join(', ')}`;
}
