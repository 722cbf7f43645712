import type { ModelMessage, ToolSchema } from '../models/model.js';

/** The most tokens that an image costs with known models, whatever its size in bytes. */
const imageTokens = 1_600;
/** The tokens of a message besides its text: role and separators. */
const messageTokens = 6;

const run = / ?[A-Za-z]+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]| +|[\s\S]/gu;

/**
 * Estimates the tokens of a text without the provider's tokenizer. Pessimistic for any script: above the real count
 * for natural text, code and data, and less than twice the count for English.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(run)) tokens += pieceTokens(piece);
  return Math.ceil(tokens);
}

/** Estimates the tokens of a model call's input without the provider's tokenizer. */
export function estimateRequest(messages: readonly ModelMessage[], tools: readonly ToolSchema[]): number {
  const said = messages.reduce((sum, message) => sum + messageTokens + contentTokens(message), 0);
  return said + tools.reduce((sum, tool) => sum + messageTokens + estimateTokens(JSON.stringify(tool)), 0);
}

function contentTokens(message: ModelMessage): number {
  switch (message.role) {
    case 'system':
    case 'tool':
      return estimateTokens(message.content);
    case 'assistant':
      return message.toolCalls.reduce(
        (sum, call) => sum + messageTokens + estimateTokens(call.id + call.name + call.arguments),
        estimateTokens(message.content),
      );
    case 'user':
      if (typeof message.content === 'string') return estimateTokens(message.content);
      return message.content.reduce(
        (sum, part) => sum + (part.type === 'text' ? estimateTokens(part.text) : imageTokens),
        0,
      );
  }
}

function pieceTokens(piece: string): number {
  // One blank belongs to the following word.
  const word = piece.trimStart();
  const code = word.codePointAt(0) ?? 0x20;
  if (isLetter(code)) return wordTokens(word);
  if (piece.startsWith(' ')) return Math.ceil(piece.length / 4);
  if (code < 0x80) return 1;
  // Byte-level tokenizers need two to four bytes for characters outside the commonest scripts.
  if (code < 0x530) return 1.25;
  if (code < 0x800) return isSemitic(code) ? 1.25 : 2;
  if (code < 0x10000) return isCjk(code) ? 2 : 3;
  return 4;
}

function wordTokens(word: string): number {
  const isOrdinary = word.length <= 15 && /^[A-Z]?[a-z]*$|^[A-Z]{1,5}$/.test(word);
  return isOrdinary ? Math.ceil(word.length / 3) : word.length / 1.4;
}

function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

function isSemitic(code: number): boolean {
  return code >= 0x590 && code < 0x700;
}

function isCjk(code: number): boolean {
  return (code >= 0x3000 && code < 0xa000) || (code >= 0xac00 && code < 0xd7b0) || code >= 0xff00;
}
