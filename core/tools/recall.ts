import { parameters, type BuiltinTool } from './builtin-tool.js';

const limit = { type: 'integer', default: 5, description: 'How many messages to return at most.' };

/** Finds past messages by meaning and by words. */
export const conversationSearch: BuiltinTool = {
  name: 'conversation_search',
  toolType: 'letta_core',
  description:
    'Searches all past messages of your conversation, also those that are no longer in context, by meaning and by words. Without a query it returns the newest that fit the other conditions.',
  parameters: parameters(
    {
      query: { type: 'string', description: 'What you look for. Omit to go by role and date alone.' },
      roles: {
        type: 'array',
        items: { type: 'string', enum: ['user', 'assistant', 'tool'] },
        description: 'Only messages by these. Omit for all.',
      },
      limit,
      start_date: {
        type: 'string',
        description: 'Only messages at or after this time. ISO 8601, such as 2024-01-15 or 2024-01-15T14:30.',
      },
      end_date: {
        type: 'string',
        description: 'Only messages at or before this time. ISO 8601; a date includes its whole day.',
      },
    },
    ['query', 'roles', 'limit', 'start_date', 'end_date'],
  ),
  tags: ['letta_core'],
  effect: 'searching',
};

/** Lists the messages of a period. */
export const conversationSearchDate: BuiltinTool = {
  name: 'conversation_search_date',
  toolType: 'letta_core',
  description: 'Lists past messages of your conversation between two dates, both included.',
  parameters: parameters(
    {
      start_date: { type: 'string', description: 'First day or time. ISO 8601, such as 2024-01-15.' },
      end_date: { type: 'string', description: 'Last day or time. ISO 8601; a date includes its whole day.' },
      limit,
    },
    ['limit'],
  ),
  tags: ['letta_core'],
  effect: 'searching',
};
