/** A provider's address and key. A server without authentication needs no key. */
interface ProviderConfig {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** The providers that the settings configure. */
export interface ProvidersConfig {
  readonly openai?: ProviderConfig | undefined;
  readonly anthropic?: ProviderConfig | undefined;
  readonly gemini?: ProviderConfig | undefined;
  readonly openrouter?: ProviderConfig | undefined;
  readonly ollama?: ProviderConfig | undefined;
  readonly vllm?: ProviderConfig | undefined;
  readonly lmstudio?: ProviderConfig | undefined;
}

/** A provider with OpenAI's chat completions API. */
export interface Provider {
  readonly config: keyof ProvidersConfig;
  /** Prefixes of its handles. Lists show the first one. */
  readonly prefixes: readonly [string, ...string[]];
  /** Absent: the settings must give a base URL. */
  readonly defaultBaseUrl?: string;
  /** Its usual port, for error messages only. */
  readonly usualPort?: number;
  readonly keyVariable: string;
  readonly urlVariable: string;
}

/** A configured provider: its address and key. */
export interface Endpoint {
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
}

export const providers: readonly Provider[] = [
  {
    config: 'openai',
    prefixes: ['openai'],
    defaultBaseUrl: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
  },
  {
    config: 'anthropic',
    prefixes: ['anthropic'],
    defaultBaseUrl: 'https://api.anthropic.com/v1/',
    keyVariable: 'ANTHROPIC_API_KEY',
    urlVariable: 'ANTHROPIC_BASE_URL',
  },
  {
    config: 'gemini',
    prefixes: ['google_ai', 'gemini'],
    defaultBaseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai/',
    keyVariable: 'GEMINI_API_KEY',
    urlVariable: 'GEMINI_BASE_URL',
  },
  {
    config: 'openrouter',
    prefixes: ['openrouter'],
    defaultBaseUrl: 'https://openrouter.ai/api/v1',
    keyVariable: 'OPENROUTER_API_KEY',
    urlVariable: 'OPENROUTER_BASE_URL',
  },
  {
    config: 'ollama',
    prefixes: ['ollama'],
    usualPort: 11434,
    keyVariable: 'OLLAMA_API_KEY',
    urlVariable: 'OLLAMA_BASE_URL',
  },
  {
    config: 'vllm',
    prefixes: ['vllm'],
    usualPort: 8000,
    keyVariable: 'VLLM_API_KEY',
    urlVariable: 'VLLM_BASE_URL',
  },
  {
    config: 'lmstudio',
    prefixes: ['lmstudio', 'lmstudio_openai'],
    usualPort: 1234,
    keyVariable: 'LMSTUDIO_API_KEY',
    urlVariable: 'LMSTUDIO_BASE_URL',
  },
];

/** The provider whose handles begin with this prefix. */
export function findProvider(prefix: string): Provider | undefined {
  return providers.find((provider) => provider.prefixes.includes(prefix));
}

/** The provider's address and key; undefined where it is not configured. */
export function findEndpoint(config: ProvidersConfig, provider: Provider): Endpoint | undefined {
  const { apiKey, baseUrl } = config[provider.config] ?? {};
  if (baseUrl !== undefined) return { provider, baseUrl: completeUrl(provider, baseUrl), apiKey };
  if (apiKey === undefined || provider.defaultBaseUrl === undefined) return undefined;
  return { provider, baseUrl: provider.defaultBaseUrl, apiKey };
}

/** What to set to use the provider, as the end of a sentence. */
export function describeMissing(provider: Provider): string {
  return provider.defaultBaseUrl === undefined
    ? `an address: set ${provider.urlVariable}, for example http://localhost:${provider.usualPort ?? 8000}/v1`
    : `a key: set ${provider.keyVariable} (and ${provider.urlVariable} for a compatible server)`;
}

/** Local servers are usually given as host and port. Their chat completions are under /v1. */
function completeUrl(provider: Provider, baseUrl: string): string {
  if (provider.defaultBaseUrl !== undefined) return baseUrl;
  const url = new URL(baseUrl);
  if (url.pathname === '/') url.pathname = '/v1';
  return url.toString();
}
