import { memoryCommands } from './memory-actions.js';
import { parameters, type BuiltinTool } from './builtin-tool.js';

const shared = {
  toolType: 'letta_memory_core',
  tags: ['letta_memory_core'],
  effect: 'editing',
} as const;

const text = (description: string) => ({ type: 'string', description });

const optional = (type: 'string' | 'integer', description: string) => ({ type: [type, 'null'], description });

/** All edits of core memory as one tool, whose blocks are files below `/memories`. */
export const memory: BuiltinTool = {
  ...shared,
  name: 'memory',
  description:
    'Views and edits your core memory, whose blocks have paths: /memories/ and the label. Commands: view (a path, or nothing to list all), create (path, file_text, description), str_replace (path, old_string, which must occur exactly once, new_string), insert (path, insert_text, insert_line), delete (path) takes the block out of your memory, rename (old_path, new_path; or path and a new description). Where others have the block too, they see its new text, label and description.',
  parameters: parameters(
    {
      command: { type: 'string', enum: [...memoryCommands], description: 'What to do.' },
      path: optional(
        'string',
        'The block, such as /memories/human. Not for a new label: that takes old_path and new_path.',
      ),
      file_text: optional('string', 'For create: what the new block says. Default: nothing.'),
      description: optional('string', 'For create and rename: what the block is for.'),
      old_string: optional(
        'string',
        'For str_replace: the text to replace, exactly as in the block. No line numbers.',
      ),
      new_string: optional(
        'string',
        'For str_replace: the text to put in its place; empty to delete. No line numbers.',
      ),
      insert_line: optional(
        'integer',
        'For insert: the line after which to insert. 0 is the beginning, -1 (default) the end.',
      ),
      insert_text: optional('string', 'For insert: the text to insert, as a line or lines of its own.'),
      old_path: optional('string', 'For rename: the block’s path now.'),
      new_path: optional('string', 'For rename: its path from now on.'),
    },
    [
      ...['path', 'file_text', 'description', 'old_string', 'new_string', 'insert_line', 'insert_text'],
      ...['old_path', 'new_path'],
    ],
  ),
  aliases: { old_str: 'old_string', new_str: 'new_string' },
};

/** Edits blocks by a patch. */
export const memoryApplyPatch: BuiltinTool = {
  ...shared,
  name: 'memory_apply_patch',
  description:
    'Edits a memory block by a simplified unified diff: lines that begin with " " stay, "-" lines are removed, "+" lines are added; a line that begins with @@ separates two places. A place is found by the lines that you quote, never by line numbers: they must match exactly and occur once. Several blocks at once: begin a section for each with "*** Add Block: label" (then its lines with "+"; a first line "Description: …" says what it is for), "*** Update Block: label" or "*** Delete Block: label"; "*** Move to: label" behind a section gives its block a new label. All of it is done, or nothing.',
  parameters: parameters({
    label: text(
      'Label of the memory block to edit. In a patch with sections, the lines before the first one edit this block.',
    ),
    patch: text('The patch. No line numbers.'),
  }),
};
