import type { ModelDescription } from '../../core/models/model.js';
import { findContextWindow } from './context-windows.js';
import { createClient } from './openai-client.js';
import { findEndpoint, providers, type Endpoint, type ProvidersConfig } from './providers.js';

const answerWithinMs = 3_000;
const freshForMs = 60_000;

/** Models in OpenAI's list that aren't chat models. */
const noChatModel =
  /embedding|whisper|tts|dall-e|moderation|audio|realtime|image|transcribe|sora|davinci|babbage|instruct/;

/** A model in a server's list. vLLM, OpenRouter and LM Studio add its context length. */
interface ListedModel {
  readonly id: string;
  readonly max_model_len?: number;
  readonly context_length?: number;
  readonly max_context_length?: number;
}

/**
 * Asks every configured provider for its models, at most once a minute. Providers that do not answer within 3 s are
 * left out.
 */
export function createListing(config: ProvidersConfig): () => Promise<ModelDescription[]> {
  let last: { readonly at: number; readonly models: Promise<ModelDescription[]> } | undefined;
  return () => {
    const now = Date.now();
    if (last === undefined || now - last.at > freshForMs) last = { at: now, models: askAll(config) };
    return last.models;
  };
}

async function askAll(config: ProvidersConfig): Promise<ModelDescription[]> {
  const endpoints = providers.flatMap((provider) => findEndpoint(config, provider) ?? []);
  const lists = await Promise.allSettled(endpoints.map(askForModels));
  return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
}

/** A provider's list of chat models, within 3 s. Throws the client package's errors. */
export async function askForModels(endpoint: Endpoint): Promise<ModelDescription[]> {
  const { provider, baseUrl } = endpoint;
  // Anthropic's list is not part of its compatible API and needs other headers.
  const headers =
    provider.config === 'anthropic' && endpoint.apiKey !== undefined
      ? { 'x-api-key': endpoint.apiKey, 'anthropic-version': '2023-06-01' }
      : {};
  const page = await createClient(endpoint).models.list({ timeout: answerWithinMs, headers });
  return (page.data as readonly ListedModel[])
    .filter(({ id }) => provider.config !== 'openai' || !noChatModel.test(id))
    .map((listed) => {
      // Google lists `models/gemini-…` but takes the name without the folder.
      const model = listed.id.replace(/^models\//, '');
      const told = listed.max_model_len ?? listed.context_length ?? listed.max_context_length;
      return {
        handle: `${provider.prefixes[0]}/${model}`,
        provider: provider.prefixes[0],
        model,
        contextWindow: told ?? findContextWindow(model),
        endpoint: baseUrl,
      };
    });
}
