import { jsonrepair } from 'jsonrepair';
import { codePoints } from '../../core/blocks/operations.js';
import type { FinishReason } from '../../core/turns/model.js';
import { isUnfinished } from '../../core/tools/unfinished-json.js';

/** What a model's arguments of a call are. */
export type ReadArguments =
  | { readonly kind: 'read'; readonly value: Record<string, unknown> }
  /** They were cut off after so many characters. */
  | { readonly kind: 'cut'; readonly length: number }
  | { readonly kind: 'unreadable' };

/**
 * Reads a call's arguments. What is not quite JSON (a comma too many, other quotes, a fence around it) is repaired; what
 * was cut off is never completed, whatever the provider says of why the answer ended: nobody knows what was to follow.
 * No arguments at all are an empty object, but in an answer that reached its limit.
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
