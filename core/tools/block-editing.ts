import { parameters, type BuiltinTool } from './builtin-tool.js';

const label = { type: 'string', description: 'Label of the memory block to edit.' };

/** Inserts lines into a block. */
export const memoryInsert: BuiltinTool = {
  name: 'memory_insert',
  toolType: 'letta_sleeptime_core',
  description:
    'Inserts text into a memory block, as a line or lines of its own. Returns the new contents of the block.',
  parameters: parameters(
    {
      label,
      new_string: { type: 'string', description: 'Text to insert. Do not include line numbers.' },
      insert_line: {
        type: 'integer',
        default: -1,
        description: 'Line after which to insert: 0 is the beginning of the block, -1 (default) its end.',
      },
    },
    ['insert_line'],
  ),
  tags: ['letta_sleeptime_core'],
  effect: 'editing',
  aliases: { new_str: 'new_string', name: 'label' },
};

/** Replaces the only occurrence of a text in a block. */
export const memoryReplace: BuiltinTool = {
  name: 'memory_replace',
  toolType: 'letta_sleeptime_core',
  description:
    'Replaces one passage of a memory block by another. The passage must occur exactly once; quote enough of it to be unique. To delete it, use an empty string for new_string. Returns the new contents of the block.',
  parameters: parameters({
    label,
    old_string: {
      type: 'string',
      description: 'Text to replace, exactly as in the block, with all whitespace. No line numbers.',
    },
    new_string: { type: 'string', description: 'Text to put in its place. No line numbers.' },
  }),
  tags: ['letta_sleeptime_core'],
  effect: 'editing',
  aliases: { old_str: 'old_string', new_str: 'new_string', name: 'label' },
};

/** Rewrites a block as a whole. */
export const memoryRethink: BuiltinTool = {
  name: 'memory_rethink',
  toolType: 'letta_sleeptime_core',
  description:
    'Rewrites a memory block as a whole: for large reorganisations, to condense it or to add much that is new. For small edits use memory_replace or memory_insert. Whatever you leave out is gone from the block. Creates the block if there is none with this label.',
  parameters: parameters({
    label,
    new_memory: {
      type: 'string',
      description: 'The complete new contents: everything to keep from the old ones, and what you integrate.',
    },
  }),
  tags: ['letta_sleeptime_core'],
  effect: 'editing',
  aliases: { target_block_label: 'label', name: 'label' },
};

/** Ends the turn of an agent that only edits memory. */
export const memoryFinishEdits: BuiltinTool = {
  name: 'memory_finish_edits',
  toolType: 'letta_sleeptime_core',
  description: 'Call this when you have finished all your memory edits. It ends your turn.',
  parameters: parameters({}),
  tags: ['letta_sleeptime_core'],
  effect: 'pure',
  terminal: true,
};
