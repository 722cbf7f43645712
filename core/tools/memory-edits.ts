import type { BlockOperation } from '../blocks/blocks.js';

type Args = Readonly<Record<string, unknown>>;

/** The operations of tools that edit one block, which their argument `label` names. */
export const memoryEdits = {
  core_memory_append: (args: Args): BlockOperation => ({ kind: 'append', content: text(args, 'content') }),
  core_memory_replace: (args: Args): BlockOperation => ({
    kind: 'replace',
    old: text(args, 'old_content'),
    new: text(args, 'new_content'),
    all: true,
  }),
  memory_replace: (args: Args): BlockOperation => ({
    kind: 'replace',
    old: text(args, 'old_string'),
    new: text(args, 'new_string'),
    all: false,
  }),
  memory_insert: (args: Args): BlockOperation => {
    const line = args['insert_line'];
    return {
      kind: 'insert',
      content: text(args, 'new_string'),
      line: typeof line === 'number' && Number.isFinite(line) ? line : -1,
    };
  },
} as const;

/** A text argument. Arguments fit the schema, so a missing one is optional and counts as empty. */
function text(args: Args, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value : '';
}
