import type { Fact } from './facts.js';

/** What a block says about a fact. */
export type Standing =
  | { readonly kind: 'known' }
  | { readonly kind: 'new' }
  /** `old` is in the block, and `replacement` should be. */
  | { readonly kind: 'changed'; readonly old: string; readonly replacement: string };

/** Whether the block contains the fact, something else in its place, or neither. */
export function findStanding(block: string, fact: Fact): Standing {
  if (fact.key !== undefined) {
    const key = fact.key.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const match = new RegExp(String.raw`(\b${key}(?:\s+is|\s*:)[ \t]*)([^\n;]*[^\n;.\s])`, 'i').exec(block);
    if (match !== null) {
      const [old, intro = '', value = ''] = match;
      return value.toLowerCase() === fact.value.toLowerCase()
        ? { kind: 'known' }
        : { kind: 'changed', old, replacement: `${intro}${fact.value}` };
    }
  }
  return block.toLowerCase().includes(fact.line.toLowerCase()) ? { kind: 'known' } : { kind: 'new' };
}

/** The block's lines that contain every content word of the question; empty where the question has none. */
export function findLines(block: string, question: string): string[] {
  const wanted = toStems(question);
  if (wanted.size === 0) return [];
  return toLines(block).filter((line) => {
    const has = toStems(line);
    return [...wanted].every((stem) => has.has(stem));
  });
}

/** The non-empty lines of a block. */
export function toLines(block: string): string[] {
  return block
    .split('\n')
    .map((line) => line.replace(/^[-*\s]+/, '').replace(/[\s.]+$/, ''))
    .filter((line) => line !== '');
}

const emptyWords = new Set(
  (
    'a an the i my me mine you your is are was were be do does did have has what which who whom whose where when why how ' +
    'of in on at to for about with and or that this it please tell remember know now again kind sort'
  ).split(' '),
);

/** Verbs of liking count as the same word: "what do I like" finds "Loves chess". */
const liking = new Set(['love', 'lov', 'like', 'lik', 'prefer', 'enjoy', 'ador', 'adore']);

function toStems(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const stems = words
    .filter((word) => word.length > 1 && !emptyWords.has(word))
    .map((word) => (word.length > 3 ? word.replace(/(?:ies|es|s|ed|ing)$/, '') : word))
    .map((stem) => (liking.has(stem) ? 'like' : stem));
  return new Set(stems);
}
