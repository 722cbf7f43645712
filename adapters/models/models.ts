import { WorldFailure } from '../../core/failures.js';
import type { ModelDescription } from '../../core/models/model.js';
import { createRecent } from '../../core/recently-used.js';
import { createChatModel } from './chat-model.js';
import { findContextWindow } from './context-windows.js';
import { createDemoModel, demoDescription, demoProvider } from './demo/demo-model.js';
import { toModelFailure } from './failure.js';
import { splitHandle } from './handle.js';
import { askForModels, createListing } from './listing.js';
import type { Model, Models } from './model.js';
import type { SilenceLimits } from './silence.js';
import { describeMissing, findEndpoint, findProvider, providers, type ProvidersConfig } from './providers.js';

/** The most models to cache: any request may name a new handle. */
const mostKept = 200;

/** The models of the configured providers, and the built-in demo model. */
export function createModels(config: ProvidersConfig, silence?: SilenceLimits): Models {
  const resolved = createRecent<string, Model>(mostKept);
  const listing = createListing(config);
  return {
    resolve(handle) {
      const known = resolved.get(handle);
      if (known !== undefined) return known;
      const model = createModel(config, handle, silence);
      resolved.set(handle, model);
      return model;
    },
    list: async () => [demoDescription, ...(await listing())],
    check: (prefix, apiKey) => checkProvider(config, prefix, apiKey),
    describe: (handle) => describe(config, handle),
  };
}

function createModel(config: ProvidersConfig, handle: string, silence: SilenceLimits | undefined): Model {
  const { prefix, model } = splitHandle(handle);
  if (handle === demoDescription.handle) return createDemoModel();
  const provider = findProvider(prefix);
  if (provider === undefined || model === '') throw notConfigured(describeUnknown(handle));
  const endpoint = findEndpoint(config, provider);
  if (endpoint === undefined) throw notConfigured(`Model ${handle} needs ${describeMissing(provider)}.`);
  return createChatModel(describe(config, handle), endpoint, silence);
}

async function checkProvider(config: ProvidersConfig, prefix: string, apiKey?: string): Promise<void> {
  if (prefix === demoProvider) return;
  const provider = findProvider(prefix);
  if (provider === undefined) throw notConfigured(describeUnknown(`${prefix}/…`));
  const endpoint = findEndpoint(config, provider);
  if (endpoint === undefined) throw notConfigured(`Provider ${prefix} needs ${describeMissing(provider)}.`);
  const asked = { ...endpoint, apiKey: apiKey ?? endpoint.apiKey };
  try {
    await askForModels(asked);
  } catch (error) {
    const keyVariable = apiKey === undefined ? provider.keyVariable : 'the header x-api-key';
    const secrets = asked.apiKey === undefined ? [] : [asked.apiKey];
    throw toModelFailure(error, { handle: `${prefix}/…`, keyVariable, secrets, sent: [] });
  }
}

function describe(config: ProvidersConfig, handle: string): ModelDescription {
  if (handle === demoDescription.handle) return demoDescription;
  const { prefix, model } = splitHandle(handle);
  const provider = findProvider(prefix);
  const endpoint = provider === undefined ? undefined : findEndpoint(config, provider);
  return {
    handle,
    provider: prefix,
    model,
    contextWindow: findContextWindow(model),
    ...(endpoint === undefined ? {} : { endpoint: endpoint.baseUrl }),
  };
}

function describeUnknown(handle: string): string {
  const prefixes = [...providers.flatMap((provider) => provider.prefixes), demoProvider];
  return (
    `There is no model ${handle}: a handle is provider/model, ` +
    `and the providers are ${prefixes.join(', ')} (of which there is only ${demoDescription.handle}).`
  );
}

function notConfigured(message: string): WorldFailure {
  return new WorldFailure('Model.NotConfigured', message, { retryable: false });
}
