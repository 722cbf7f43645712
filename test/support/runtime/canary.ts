import { randomInt } from 'node:crypto';
import { readTestState } from '../run/test-state.js';

/** No vowels, so that no word can arise that a test looks for. */
const letters = 'bcdfghjkmpqvwz';
const length = 32;
/** As many letters in a row are content: 14 to the tenth possibilities do not meet by chance. */
const partLength = 10;

/** A random text that is told from everything else by any of its parts. */
export function makeCanary(): string {
  return Array.from({ length }, () => letters.charAt(randomInt(letters.length))).join('');
}

/** The run's canary: in what the tests say, store, call, answer and throw, and in no history of theirs. */
export function runCanary(): string {
  return readTestState().canary;
}

/** The first part of the canary that is in the text, in whatever case. */
export function findCanary(text: string, canary: string): string | undefined {
  const lower = text.toLowerCase();
  const starts = Array.from({ length: canary.length - partLength + 1 }, (_, start) => start);
  return starts.map((start) => canary.slice(start, start + partLength)).find((part) => lower.includes(part));
}
