const overflowCodes = [
  'context_length_exceeded',
  'exceed_context_size_error',
  'request_too_large',
  'string_above_max_length',
];

/** How servers report a request that is too long, each with its source. */
const overflowWords: readonly RegExp[] = [
  // OpenAI, vLLM, OpenRouter, Groq
  /maximum context length|context_length_exceeded/i,
  // Anthropic
  /prompt is too long|exceed(s|ed)? (the )?context (limit|window|length|size)/i,
  // Gemini
  /input token count.{0,40}exceeds/i,
  // llama.cpp
  /exceeds? the available context size/i,
  // Ollama
  /input length exceeds|exceeded max context length|prompt too long/i,
  // vLLM
  /longer than the maximum model length|max_tokens must be at least 1, got -/i,
  // LM Studio
  /greater than the context length|context.{0,10}overflows/i,
  // Hugging Face's text generation inference, Bedrock
  /`inputs` (tokens \+|must have less than)|input is too long for requested model/i,
  // OpenAI and Groq: a single request above the limit of tokens per minute, which waiting can't help
  /request too large for/i,
];

/** Whether a provider refused a request for its length, so that only a shorter one helps. */
export function isContextOverflow(codes: readonly string[], words: string): boolean {
  return (
    codes.some((code) => overflowCodes.includes(code)) || overflowWords.some((pattern) => pattern.test(words))
  );
}
