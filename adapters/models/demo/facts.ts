/** A statement of the user's about themselves, as a line for core memory. */
export interface Fact {
  /** The subject of a fact that can have only one value, which a later one replaces. */
  readonly key: string | undefined;
  readonly value: string;
  /** The line as it is written. */
  readonly line: string;
}

interface Rule {
  readonly pattern: RegExp;
  readonly toFact: (groups: readonly string[]) => Fact;
}

/** "I love …" is written "Loves …": the third person of the verbs that people use of themselves. */
const thirdPerson: Readonly<Record<string, string>> = {
  have: 'Has',
  study: 'Studies',
  teach: 'Teaches',
  was: 'Was',
  grew: 'Grew',
  moved: 'Moved',
  can: 'Can',
  "can't": 'Cannot',
  cannot: 'Cannot',
};
const verbs =
  'love|like|prefer|enjoy|adore|hate|dislike|want|need|own|play|speak|drink|eat|use|drive|collect|live|work|come|run|swim|read|write|paint|sing|cook|grow|keep|build|own|hope|plan|fear|believe|' +
  Object.keys(thirdPerson).join('|');

// The first matching rule counts.
const rules: readonly Rule[] = [
  { pattern: /^my (?:full |first |real )?name(?:'s| is) (?:actually |really |now )?(.+)$/i, toFact: toName },
  { pattern: /^(?:you can )?call me (.+)$/i, toFact: toName },
  { pattern: /^(?:i'm|i am) (?:called|named) (.+)$/i, toFact: toName },
  { pattern: /^(?:I'm|I am|i'm|i am) (\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?)$/u, toFact: toName },
  {
    pattern: /^my (.{1,60}?) (?:is|are|was|were)(?: now| actually| really)? (.+)$/i,
    toFact: ([key = '', value = '']) => withKey(key, value),
  },
  {
    pattern: new RegExp(
      String.raw`^i (?:really |absolutely |also |still |always |usually |often |now )*(${verbs})\b(?! you\b| a question\b)(.*)$`,
      'i',
    ),
    toFact: ([verb = '', rest = '']) => withoutKey(`${toThirdPerson(verb.toLowerCase())}${rest}`),
  },
  { pattern: /^(?:i'm|i am) (.+)$/i, toFact: ([what = '']) => withoutKey(`Is ${what}`) },
  { pattern: /^i've (?:got )?(.+)$/i, toFact: ([what = '']) => withoutKey(`Has ${what}`) },
];

const order =
  /^(?:remember|note|keep in mind|don't forget|do not forget|know)(?: this)?(?: that|:|,)?\s+(.+)$/i;

/** Whether the clause asks to remember something, even as a question. */
export function isOrder(clause: string): boolean {
  return order.test(clause);
}

/** The fact that a clause states; undefined: none. "Remember that …" turns anything into a fact. */
export function toFact(clause: string): Fact | undefined {
  const ordered = order.exec(clause)?.[1];
  const stated = ordered ?? clause;
  for (const rule of rules) {
    const match = rule.pattern.exec(stated);
    if (match !== null) return rule.toFact(match.slice(1));
  }
  return ordered === undefined ? undefined : withoutKey(ordered);
}

function toName([name = '']: readonly string[]): Fact {
  return withKey('name', name.replace(/,.*$/, '').replace(/\s+(?:now|actually|by the way)$/i, ''));
}

function withKey(key: string, value: string): Fact {
  const written = capitalize(key.trim());
  return { key: written, value: value.trim(), line: `${written}: ${value.trim()}` };
}

function withoutKey(text: string): Fact {
  const line = capitalize(text.trim().replace(/\bmy\b/gi, 'their'));
  return { key: undefined, value: line, line };
}

function toThirdPerson(verb: string): string {
  return thirdPerson[verb] ?? `${capitalize(verb)}s`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
