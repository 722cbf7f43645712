import { OpenAI, type APIError } from 'openai';
import type { Endpoint } from './providers.js';

/** Sent where a server needs no key: the package refuses to work without one. */
const placeholderKey = 'no-key-needed';

/** A client of one endpoint that never retries and never logs: its logs would carry prompts. */
export function createClient(endpoint: Endpoint): OpenAI {
  const isOpenAi = endpoint.provider.config === 'openai';
  return new CompatibleClient({
    apiKey: endpoint.apiKey ?? placeholderKey,
    adminAPIKey: null,
    baseURL: endpoint.baseUrl,
    // Without these nulls the package would send OpenAI's organization from the environment to other providers.
    ...(isOpenAi ? {} : { organization: null, project: null }),
    maxRetries: 0,
    logLevel: 'off',
  });
}

/** Understands the error bodies of servers that are not quite compatible: the package looks only under `error`. */
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

/** The error object inside a body: Google wraps it in a list, vLLM sends it bare, FastAPI calls it `detail`. */
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
