/**
 * Windows in tokens by the beginning of a model's name. The first matching row counts. From the providers' own pages.
 */
const windows: readonly (readonly [prefix: RegExp, tokens: number])[] = [
  [/^gpt-5/, 400_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^(gpt-4o|chatgpt-4o|gpt-4-turbo|gpt-4-1106|gpt-4-0125)/, 128_000],
  [/^gpt-4-32k/, 32_768],
  [/^gpt-4/, 8_192],
  [/^gpt-3\.5/, 16_385],
  [/^gpt-oss/, 131_072],
  [/^(o1-mini|o1-preview)/, 128_000],
  [/^o\d/, 200_000],
  [/^claude/, 200_000],
  [/^gemini/, 1_048_576],
  [/^(llama-?3\.[123]|llama-?4)/, 131_072],
  [/^(mistral|ministral|codestral|devstral)/, 131_072],
  [/^(deepseek|kimi|glm)/, 131_072],
];

/** Assumed for unknown models, in tokens. */
const unknownWindow = 32_000;

/**
 * The context window of a model by its name, in tokens. A vendor's prefix (`openai/gpt-4o` at a router) is ignored.
 */
export function findContextWindow(model: string): number {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return windows.find(([prefix]) => prefix.test(name))?.[1] ?? unknownWindow;
}
