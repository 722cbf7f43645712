import { z } from 'zod';
import type { Extension } from '../../core/extensions/extension.js';
import type { MemoryEdit } from '../../core/extensions/tools.js';

const schema = {
  name: z.string().min(1),
  description: z.string(),
  parameters: z.looseObject({ type: z.literal('object'), properties: z.record(z.string(), z.unknown()) }),
};
const aFunction = z.custom((value) => typeof value === 'function', { error: 'must be a function' });
const memoryTool = z.object({
  ...schema,
  kind: z.literal('memory'),
  sections: z.array(z.string()).min(1),
  edit: aFunction,
});
const messagingTool = z.object({ ...schema, kind: z.literal('messaging'), argument: z.string() });

const extension = z.object({
  name: z.string().regex(/^[\w-]{1,64}$/, { error: 'must be letters, digits, _ and -, 64 at most' }),
  memory: z
    .custom<{ tools?: unknown }>((value) => typeof value === 'function', { error: 'must be a class' })
    .refine((memory) => z.array(z.union([z.string(), memoryTool])).safeParse(memory.tools).success, {
      error: 'must have static tools: names, and tools made by memoryTool',
    })
    .optional(),
  tools: z.array(z.discriminatedUnion('kind', [memoryTool, messagingTool])).optional(),
  version: z.string().optional(),
  compile: aFunction.optional(),
  decide: aFunction.optional(),
});

/**
 * The extensions that a module exports; or what is wrong, as the end of a sentence that begins with the module's
 * name.
 */
export function fromExports(
  exports: Readonly<Record<string, unknown>>,
):
  | { readonly ok: true; readonly extensions: readonly Extension[] }
  | { readonly ok: false; readonly fault: string } {
  const exported = exports['default'];
  if (exported === undefined) {
    return { ok: false, fault: 'which exports no default: export default defineExtension({ name, … }).' };
  }
  const all: unknown[] = Array.isArray(exported) ? exported : [exported];
  const [issue] = all.flatMap((one) => extension.safeParse(one).error?.issues ?? []);
  if (issue === undefined) return { ok: true, extensions: all as Extension[] };
  const where = issue.path.length === 0 ? '' : `: its ${issue.path.join('.')}`;
  return { ok: false, fault: `whose default export is no extension${where} ${issue.message}.` };
}

const edits = z.array(
  z.intersection(
    z.object({ section: z.string() }),
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('append'), content: z.string() }),
      z.object({ kind: z.literal('replace'), old: z.string(), new: z.string(), all: z.boolean().optional() }),
      z.object({ kind: z.literal('insert'), content: z.string(), line: z.int() }),
      z.object({ kind: z.literal('rewrite'), value: z.string() }),
    ]),
  ),
);
const memoryEdit = z.union([
  edits.transform((all) => ({ edits: all })),
  z.object({ edits, result: z.string().optional() }),
]);

/** Reads a memory tool's answer; undefined where it is not a list of edits. */
export function readMemoryEdit(answer: unknown): MemoryEdit | undefined {
  const { data } = memoryEdit.safeParse(answer);
  return data === undefined ? undefined : (data as MemoryEdit);
}
