import { cutIntoClauses } from './clauses.js';
import { isOrder, toFact, type Fact } from './facts.js';

/** What a clause of the user's asks for. */
export type Intent =
  | { readonly kind: 'fact'; readonly fact: Fact }
  /** Store the text in archival memory. */
  | { readonly kind: 'save'; readonly text: string }
  /** Search archival memory. */
  | { readonly kind: 'search'; readonly query: string }
  /** Search past messages. */
  | { readonly kind: 'recall'; readonly query: string }
  /** Tell all that is known about the user. */
  | { readonly kind: 'about' }
  /** A question to answer from core memory, else from archival memory. */
  | { readonly kind: 'ask'; readonly question: string }
  | { readonly kind: 'greeting' }
  | { readonly kind: 'other' };

interface Rule {
  readonly pattern: RegExp;
  readonly toIntent: (groups: readonly string[]) => Intent;
}

const archival = String.raw`(?:your |the |my )?archiv\w*(?:\s+memory)?`;
const save = '(?:save|store|put|keep|add|write|archive|insert)';

// The first matching rule counts. A clause without one may be a fact, a question, or nothing.
const rules: readonly Rule[] = [
  {
    pattern: new RegExp(`^${save}\\b.*?\\b${archival}\\s*(?::|that\\b)\\s*(.+)$`, 'i'),
    toIntent: ([text = '']) => ({ kind: 'save', text: unquote(text) }),
  },
  {
    pattern: new RegExp(
      `^${save}\\s+(?:this |the following |that )?(.+?)\\s+(?:in|to|into|for)\\s+${archival}$`,
      'i',
    ),
    toIntent: ([text = '']) => ({ kind: 'save', text: unquote(text) }),
  },
  {
    pattern: new RegExp(
      `(?:search|look|check|find|query)\\b.*?\\b${archival}(?:\\s*(?:for|about|and tell me|:|,)\\s*(.*))?$`,
      'i',
    ),
    toIntent: ([query = '']) => ({ kind: 'search', query: unquote(query) }),
  },
  {
    pattern:
      /(?:search|look|check)\b.*?\b(?:conversation|messages|history|chat)(?:\s*(?:for|about|:)\s*(.+))?$/i,
    toIntent: ([query = '']) => ({ kind: 'recall', query: unquote(query) }),
  },
  {
    pattern:
      /what (?:did|have|had) i (?:say|said|tell|told|mention|mentioned|write|written)(?: to)?(?: you)? (?:about|of|on) (.+)$/i,
    toIntent: ([query = '']) => ({ kind: 'recall', query: unquote(query) }),
  },
  {
    pattern:
      /^(?:did|have) i (?:ever )?(?:say|said|tell|told|mention|mentioned)(?: to)?(?: you)?(?: anything)?(?: about)? (.+)$/i,
    toIntent: ([query = '']) => ({ kind: 'recall', query: unquote(query) }),
  },
  {
    pattern:
      /what (?:do|have) you (?:know|remember|learned|learnt) (?:about|of) (?:me|myself)|who am i\b|tell me (?:everything|what you know) about me/i,
    toIntent: () => ({ kind: 'about' }),
  },
  {
    pattern: /what do you (?:know|remember) (?:about|of) (.+)$/i,
    toIntent: ([query = '']) => ({ kind: 'ask', question: unquote(query) }),
  },
  {
    pattern: /^(?:hi|hello|hey|good (?:morning|evening|afternoon)|how are you|greetings)\b.{0,20}$/i,
    toIntent: () => ({ kind: 'greeting' }),
  },
];

const question =
  /\?$|^(?:what|which|who|whom|whose|where|when|why|how|do you|does|did|is|are|can you tell|tell me)\b/i;

/** What the user's text asks for, in order. */
export function readIntents(text: string): Intent[] {
  return joinSearches(cutIntoClauses(text).map(readClause));
}

function readClause(clause: string): Intent {
  const plain = clause.replace(/\s*\?+$/, '');
  for (const { pattern, toIntent } of rules) {
    const match = pattern.exec(plain);
    if (match !== null) return toIntent(match.slice(1));
  }
  if (question.test(clause) && !isOrder(plain)) return { kind: 'ask', question: plain };
  const fact = toFact(plain);
  return fact === undefined ? { kind: 'other' } : { kind: 'fact', fact };
}

/** "What do I like? Search archival memory." is one intent: the search takes the question as its query. */
function joinSearches(intents: readonly Intent[]): Intent[] {
  const joined: Intent[] = [];
  for (const intent of intents) {
    const before = joined.at(-1);
    if ((intent.kind === 'search' || intent.kind === 'recall') && intent.query === '') {
      if (before?.kind === 'ask') joined[joined.length - 1] = { kind: intent.kind, query: before.question };
    } else if (intent.kind === 'ask' && (before?.kind === 'search' || before?.kind === 'recall')) {
      joined[joined.length - 1] = { kind: before.kind, query: `${before.query} ${intent.question}`.trim() };
    } else {
      joined.push(intent);
    }
  }
  return joined;
}

function unquote(text: string): string {
  const plain = text.trim().replace(/^(?:the fact )?that\s+/i, '');
  return plain.replace(/^["'“‘](.*)["'”’]$/, '$1').trim();
}
