import { parameters, type BuiltinTool } from './builtin-tool.js';

/** Places that `recall` searches. */
export const recallScopes = ['messages', 'passages', 'files'] as const;

export type RecallScope = (typeof recallScopes)[number];

/** Finds what the agent knows outside its context, wherever it is stored. */
export const recall: BuiltinTool = {
  name: 'recall',
  toolType: 'letta_core',
  description:
    'Searches everything you know outside your context at once, by meaning and by words: past messages, archival passages and the parts of your files. Each result says where it comes from. Without a query it returns the newest that fit the other conditions.',
  parameters: parameters(
    {
      query: {
        type: 'string',
        description: 'What you look for. Omit to go by the other conditions alone.',
      },
      scope: {
        type: 'array',
        items: { type: 'string', enum: recallScopes },
        description:
          'Where to look. Omit to search everywhere; then roles restrict the search to messages, and tags to passages.',
      },
      roles: {
        type: 'array',
        items: { type: 'string', enum: ['user', 'assistant', 'system'] },
        description: 'Only messages by these. Omit for all.',
      },
      tags: {
        type: 'array',
        items: { type: 'string' },
        description: 'Only passages with these tags. Omit for all.',
      },
      tag_match_mode: {
        type: 'string',
        enum: ['any', 'all'],
        default: 'any',
        description: 'Whether a passage needs any of the tags or all of them.',
      },
      start_date: {
        type: 'string',
        description: 'Only what was said or stored at or after this time. ISO 8601, such as 2024-01-15.',
      },
      end_date: {
        type: 'string',
        description:
          'Only what was said or stored at or before this time. ISO 8601; a date includes its whole day.',
      },
      limit: { type: 'integer', default: 5, description: 'How many results a page has, at most 50.' },
      page: { type: 'integer', default: 1, description: 'Which page, counted from 1.' },
    },
    ['query', 'scope', 'roles', 'tags', 'tag_match_mode', 'start_date', 'end_date', 'limit', 'page'],
  ),
  tags: ['letta_core'],
  effect: 'searching',
};

/**
 * The places to search: those asked for; else a condition that only one place has selects that place (roles:
 * messages, tags: passages).
 */
export function scopesOf(asked: {
  readonly scope?: readonly string[] | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
}): readonly RecallScope[] {
  const { scope = [], roles = [], tags = [] } = asked;
  const named = recallScopes.filter((each) => scope.includes(each));
  if (named.length > 0) return named;
  if (roles.length === 0 && tags.length === 0) return recallScopes;
  return [
    ...(roles.length > 0 ? (['messages'] as const) : []),
    ...(tags.length > 0 ? (['passages'] as const) : []),
  ];
}

/** A page of results: which results it has, and which page follows. */
export interface RecallPage {
  readonly from: number;
  readonly to: number;
  /** How many of each place's best results it takes to build the page and to know whether it is the last. */
  readonly depth: number;
  /** The number of the next page; null: none. */
  readonly next: number | null;
}

const mostOfPage = 50;
/** The deepest result. Beyond, a better query is needed. */
const deepest = 500;

/**
 * The page that a call asks for, with sizes and numbers moved into the valid range. Undefined where it lies beyond
 * the deepest result: repeating an earlier page would send the reader round in circles.
 */
export function recallPage(limit: number, page: number): RecallPage | undefined {
  const size = Math.min(mostOfPage, Math.max(1, Math.trunc(limit)));
  const number = Math.max(1, Math.trunc(page));
  const from = (number - 1) * size;
  if (from >= deepest) return undefined;
  const to = Math.min(deepest, from + size);
  return to === deepest ? { from, to, depth: to, next: null } : { from, to, depth: to + 1, next: number + 1 };
}
