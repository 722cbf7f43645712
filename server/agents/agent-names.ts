import { randomInt } from 'node:crypto';

const qualities = [
  'Amber',
  'Brave',
  'Calm',
  'Clever',
  'Gentle',
  'Keen',
  'Lucid',
  'Merry',
  'Patient',
  'Steady',
];
const beings = ['Badger', 'Crane', 'Finch', 'Heron', 'Lynx', 'Otter', 'Raven', 'Sparrow', 'Turtle', 'Wren'];

/** A name for an agent whose creator gave none. */
export function randomAgentName(): string {
  return `${pick(qualities)}${pick(beings)}`;
}

function pick(words: readonly string[]): string {
  return words[randomInt(words.length)] ?? '';
}
