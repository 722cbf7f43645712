import { jsonrepair } from 'jsonrepair';
import { codePoints } from '../../core/blocks/operations.js';
import type { FinishReason } from '../../core/models/model.js';
import { isUnfinished } from '../../core/tools/unfinished-json.js';

/** The arguments of a model's call. */
export type ReadArguments =
  | { readonly kind: 'read'; readonly value: Record<string, unknown> }
  /** They were cut off after this many characters. */
  | { readonly kind: 'cut'; readonly length: number }
  | { readonly kind: 'unreadable' };

/**
 * Reads a call's arguments. Text that is not quite JSON (an extra comma, other quotes, a fence around it) is
 * repaired. Text that was cut off is never completed, whatever finish reason the provider gives, because nobody knows
 * the rest. Missing arguments are an empty object, unless the answer reached its length limit.
 */
export function readArguments(text: string, finishReason: FinishReason): ReadArguments {
  if (text.trim() === '') {
    return finishReason === 'length' ? { kind: 'cut', length: 0 } : { kind: 'read', value: {} };
  }
  const value = objectOf(() => text);
  if (value !== undefined) return { kind: 'read', value };
  if (isUnfinished(text)) return { kind: 'cut', length: codePoints(text) };
  const repaired = objectOf(() => jsonrepair(text));
  return repaired === undefined ? { kind: 'unreadable' } : { kind: 'read', value: repaired };
}

function objectOf(read: () => string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(read());
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
