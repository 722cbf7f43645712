import { parameters, type BuiltinTool } from './builtin-tool.js';

/** Stores a passage in archival memory. */
export const archivalMemoryInsert: BuiltinTool = {
  name: 'archival_memory_insert',
  toolType: 'letta_core',
  description:
    'Stores a passage in your archival memory, where it stays until it is deleted. Write it so that it can be understood and found on its own: whole sentences, names instead of pronouns, dates where they matter.',
  parameters: parameters(
    {
      content: {
        type: 'string',
        description: 'Content to store. All unicode (including emojis) is supported.',
      },
      tags: {
        type: 'array',
        items: { type: 'string' },
        description: 'Categories by which to narrow later searches. Reuse the tags that you already have.',
      },
    },
    ['tags'],
  ),
  tags: ['letta_core'],
  effect: 'searching',
};

/** Finds passages by meaning and by words. */
export const archivalMemorySearch: BuiltinTool = {
  name: 'archival_memory_search',
  toolType: 'letta_core',
  description:
    'Searches your archival memory by meaning and by words; identifiers are found literally. Returns the best passages with their time and tags.',
  parameters: parameters(
    {
      query: {
        type: 'string',
        description: 'What you look for, as a question or in the words that the passage may use.',
      },
      tags: {
        type: 'array',
        items: { type: 'string' },
        description: 'Only passages with these tags. Omit to search everything.',
      },
      tag_match_mode: {
        type: 'string',
        enum: ['any', 'all'],
        default: 'any',
        description: 'Whether a passage needs any of the tags or all of them.',
      },
      top_k: { type: 'integer', default: 5, description: 'How many passages to return at most.' },
      start_datetime: {
        type: 'string',
        description:
          'Only passages stored at or after this time. ISO 8601, such as 2024-01-15 or 2024-01-15T14:30.',
      },
      end_datetime: {
        type: 'string',
        description: 'Only passages stored at or before this time. ISO 8601; a date includes its whole day.',
      },
    },
    ['tags', 'tag_match_mode', 'top_k', 'start_datetime', 'end_datetime'],
  ),
  tags: ['letta_core'],
  effect: 'searching',
};
