import { createHash } from 'node:crypto';

/** An embeddings request, as OpenAI's API takes it. */
export interface EmbeddingsRequest {
  readonly model: string;
  readonly input: string | readonly string[];
  readonly encoding_format?: 'float' | 'base64';
}

const dimensions = 1536;

/**
 * What OpenAI's API answers to an embeddings request. Vectors count hashed words, so that texts are the nearer the more
 * words they share, and equal texts are equal everywhere.
 */
export function answerEmbeddings({ model, input, encoding_format: format }: EmbeddingsRequest): object {
  const texts = typeof input === 'string' ? [input] : input;
  const tokens = texts.reduce((sum, text) => sum + wordsOf(text).length, 0);
  return {
    object: 'list',
    model,
    data: texts.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: encode(embed(text), format),
    })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function embed(text: string): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of wordsOf(text)) {
    const place = createHash('sha256').update(word).digest().readUInt32BE(0) % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector.with(0, 1) : vector.map((value) => value / length);
}

/** Without endings, so that `loves` and `love` are one word. */
function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/(es|s)$/, ''));
}

function encode(
  vector: readonly number[],
  format: EmbeddingsRequest['encoding_format'],
): readonly number[] | string {
  if (format !== 'base64') return vector;
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}
