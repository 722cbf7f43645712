import { parameters, type BuiltinTool } from './builtin-tool.js';

const shared = { toolType: 'letta_voice_sleeptime_core', tags: ['letta_voice_sleeptime_core'] } as const;

/** Searches everything outside a voice agent's context. */
export const searchMemory: BuiltinTool = {
  ...shared,
  name: 'search_memory',
  description:
    'Searches what you have outside of your context: past messages, archival memory and files. Use it where the user speaks of something that you do not see.',
  parameters: parameters(
    {
      convo_keyword_queries: {
        type: ['array', 'null'],
        items: { type: 'string' },
        description: 'Words to look for, such as names or numbers. Omit to go by time alone.',
      },
      start_minutes_ago: {
        type: ['integer', 'null'],
        description: 'Nothing newer than this many minutes. Omit for no such bound.',
      },
      end_minutes_ago: {
        type: ['integer', 'null'],
        description: 'Nothing older than this many minutes. Omit for no such bound.',
      },
    },
    ['convo_keyword_queries', 'start_minutes_ago', 'end_minutes_ago'],
  ),
  effect: 'searching',
};

/** Stores conversation excerpts for the partner of a voice agent. */
export const storeMemories: BuiltinTool = {
  ...shared,
  name: 'store_memories',
  description:
    'Keeps what stretches of a conversation are about in archival memory, where it is found by meaning. What was said stays in recall memory as it is.',
  parameters: parameters({
    chunks: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          start_index: { type: 'integer', description: 'First line of the stretch, counted from 0.' },
          end_index: { type: 'integer', description: 'Last line of the stretch.' },
          context: {
            type: 'string',
            description:
              'One to three sentences with the facts, wishes and aims in it, written to be found later.',
          },
        },
        required: ['start_index', 'end_index', 'context'],
      },
      description: 'The stretches of the conversation.',
    },
  }),
  effect: 'searching',
};

/** Rewrites what is known of the user. */
export const rethinkUserMemory: BuiltinTool = {
  ...shared,
  name: 'rethink_user_memory',
  description:
    'Rewrites the memory block `human` as a whole: all of it that still holds, with what is new woven in. Whatever you leave out is gone from the block.',
  parameters: parameters({ new_memory: { type: 'string', description: 'The complete new contents.' } }),
  effect: 'editing',
};

/** Ends the work of a voice agent's partner. */
export const finishRethinkingMemory: BuiltinTool = {
  ...shared,
  name: 'finish_rethinking_memory',
  description: 'Call this when you have finished rethinking the memory. It ends your turn.',
  parameters: parameters({}),
  effect: 'pure',
  terminal: true,
};
