/** A chunk of a streamed completion, or a whole one, as servers really send them: any field may be missing. */
export interface WireCompletion {
  readonly choices?: readonly WireChoice[] | null;
  readonly usage?: WireUsage | null;
}

/** `delta` in a stream, `message` in a whole answer. */
interface WireChoice {
  readonly index?: number;
  readonly delta?: WireDelta | null;
  readonly message?: WireDelta | null;
  readonly finish_reason?: string | null;
}

export interface WireDelta {
  readonly content?: string | readonly WirePart[] | null;
  readonly refusal?: string | null;
  /** DeepSeek, vLLM. */
  readonly reasoning_content?: string | null;
  /** OpenRouter, newer vLLM, Ollama. */
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly WireToolCall[] | null;
}

/** Mistral sends its texts in parts. */
interface WirePart {
  readonly type?: string;
  readonly text?: string;
}

export interface WireToolCall {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
}

export interface WireUsage {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly total_tokens?: number | null;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
  /** DeepSeek. */
  readonly prompt_cache_hit_tokens?: number | null;
}
