/** Where a provider is reached, and with what. Either alone is enough for a server that needs no key. */
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

/** What is known of a provider that speaks OpenAI's chat completions. */
export interface Provider {
  readonly config: keyof ProvidersConfig;
  /** Prefixes of its handles; the first is the one that lists show. */
  readonly prefixes: readonly [string, ...string[]];
  /** Absent: only a base URL in the settings says where it is. */
  readonly defaultBaseUrl?: string;
  /** The port that it listens on unless told otherwise: for advice only. */
  readonly usualPort?: number;
  readonly keyVariable: string;
  readonly urlVariable: string;
}

/** A provider that is configured: where to call it and with which key. */
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

/** Where the provider is reached, or undefined where the settings say nothing of it. */
export function findEndpoint(config: ProvidersConfig, provider: Provider): Endpoint | undefined {
  const { apiKey, baseUrl } = config[provider.config] ?? {};
  if (baseUrl !== undefined) return { provider, baseUrl: completeUrl(provider, baseUrl), apiKey };
  if (apiKey === undefined || provider.defaultBaseUrl === undefined) return undefined;
  return { provider, baseUrl: provider.defaultBaseUrl, apiKey };
}

/** What to set so that the provider can be used, as the end of a sentence. */
export function describeMissing(provider: Provider): string {
  return provider.defaultBaseUrl === undefined
    ? `an address: set ${provider.urlVariable}, for example http://localhost:${provider.usualPort ?? 8000}/v1`
    : `a key: set ${provider.keyVariable} (and ${provider.urlVariable} for a compatible server)`;
}

/** Local servers are usually given by host and port alone; their chat completions live under /v1. */
function completeUrl(provider: Provider, baseUrl: string): string {
  if (provider.defaultBaseUrl !== undefined) return baseUrl;
  const url = new URL(baseUrl);
  if (url.pathname === '/') url.pathname = '/v1';
  return url.toString();
}
