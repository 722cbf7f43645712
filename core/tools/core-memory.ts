import { parameters, type BuiltinTool } from './builtin-tool.js';

const label = { type: 'string', description: 'Label of the memory block to edit, such as persona or human.' };

/** Appends a line to a block. MemGPT's own parameter is `name` instead of `label`. */
export const coreMemoryAppend: BuiltinTool = {
  name: 'core_memory_append',
  toolType: 'letta_core',
  description:
    'Appends to the contents of a block of your core memory, on a new line. Returns the new contents of the block. Parameter `name` is accepted for `label`.',
  parameters: parameters({
    label,
    content: {
      type: 'string',
      description: 'Content to write to the memory. All unicode (including emojis) is supported.',
    },
  }),
  tags: ['letta_core'],
  effect: 'editing',
  aliases: { name: 'label' },
};

/** Replaces every occurrence of a text in a block. MemGPT's own parameter is `name` instead of `label`. */
export const coreMemoryReplace: BuiltinTool = {
  name: 'core_memory_replace',
  toolType: 'letta_core',
  description:
    'Replaces text in a block of your core memory, wherever it occurs. To delete memories, use an empty string for new_content. Returns the new contents of the block. Parameter `name` is accepted for `label`.',
  parameters: parameters({
    label,
    old_content: {
      type: 'string',
      description: 'Text to replace. Must match what the block says exactly, including punctuation and case.',
    },
    new_content: {
      type: 'string',
      description: 'Text to put in its place. All unicode (including emojis) is supported.',
    },
  }),
  tags: ['letta_core'],
  effect: 'editing',
  aliases: { name: 'label' },
};
