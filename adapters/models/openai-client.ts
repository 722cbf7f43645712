import { OpenAI, type APIError } from 'openai';
import type { Endpoint } from './providers.js';

/** Sent to servers that need no key, because the package requires one. */
const placeholderKey = 'no-key-needed';

/** Creates a client for one endpoint that never retries, and never logs: logs would contain prompts. */
export function createClient(endpoint: Endpoint): OpenAI {
  const isOpenAi = endpoint.provider.config === 'openai';
  return new CompatibleClient({
    apiKey: endpoint.apiKey ?? placeholderKey,
    adminAPIKey: null,
    baseURL: endpoint.baseUrl,
    // Without these nulls, the package would send OpenAI's organization from the environment to other providers.
    ...(isOpenAi ? {} : { organization: null, project: null }),
    maxRetries: 0,
    logLevel: 'off',
  });
}

/** Reads the error bodies of servers that are not quite compatible. The package only looks under `error`. */
class CompatibleClient extends OpenAI {
  protected override makeStatusError(
    status: number,
    body: object,
    message: string | undefined,
    headers: Headers,
  ): APIError {
    return super.makeStatusError(status, { error: findError(body) }, message, headers);
  }
}

/** The error object of a body: Google wraps it in a list, vLLM sends it bare, FastAPI calls it `detail`. */
export function findError(body: unknown): unknown {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (typeof first !== 'object' || first === null) return first;
  const fields: { error?: unknown; message?: unknown; detail?: unknown } = first;
  if (fields.error !== undefined) {
    return typeof fields.error === 'string' ? { message: fields.error } : fields.error;
  }
  if (fields.message !== undefined) return fields;
  return typeof fields.detail === 'string' ? { message: fields.detail } : undefined;
}
