import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Context } from './command-context.js';
import { CommandFailure } from './failure.js';

/** What an import made. */
export interface Imported {
  readonly agent_ids: readonly string[];
  readonly notes?: readonly string[];
}

/** How files are imported. */
export interface ImportOptions {
  readonly name?: string;
  readonly model?: string;
  readonly embedding?: string;
  readonly messages: boolean;
  /** Default: custom tools of the same name are replaced. */
  readonly keepsTools?: boolean;
}

/** Has the server make the agents of a file. Throws CommandFailure. */
export async function importAgentFile(
  context: Pick<Context, 'rest'>,
  file: string,
  options: ImportOptions,
): Promise<Imported> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new CommandFailure('usage', `${file} can't be read: ${(error as Error).message}`);
  });
  return sendAgentFile(context, { bytes, name: basename(file) }, options);
}

/** Has the server make the agents of a file's content. Throws CommandFailure. */
export async function sendAgentFile(
  { rest }: Pick<Context, 'rest'>,
  file: { readonly bytes: Uint8Array<ArrayBuffer>; readonly name: string },
  { name, model, embedding, messages, keepsTools = false }: ImportOptions,
): Promise<Imported> {
  // A file that is sent again, with the same wishes, makes nothing more.
  const wishes = JSON.stringify([name, model, embedding, messages]);
  const key = createHash('sha256').update(file.bytes).update(wishes).digest('hex');
  const form = new FormData();
  form.set('file', new Blob([file.bytes]), file.name);
  form.set('append_copy_suffix', 'false');
  for (const [field, value] of Object.entries({ name, model, embedding }))
    if (value !== undefined) form.set(field, value);
  if (!messages) form.set('strip_messages', 'true');
  if (keepsTools) form.set('override_existing_tools', 'false');
  return (await (
    await rest.raw('/v1/agents/import', { method: 'POST', body: form, headers: { 'idempotency-key': key } })
  ).json()) as Imported;
}
