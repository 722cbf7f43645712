import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { SettingsError } from '../../adapters/settings/settings.js';
import type { ExtensionDescription, ToolDescription } from '../../core/extensions/extension.js';
import { builtinTools } from '../../core/tools/tools.js';
import { type SpeakingTools, speakingTools } from '../../core/tools/messaging.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { storable, toJson } from '../db/storable.js';
import { isOwnRow } from './tools.js';
import { ToolNameTakenError } from './errors.js';

/** Writes the rows of all loaded extensions' tools. Throws SettingsError where another tool has the same name. */
export async function saveLoadedTools(
  db: Db,
  extensions: readonly Pick<ExtensionDescription, 'tools'>[],
): Promise<void> {
  try {
    await saveExtensionTools(
      db,
      extensions.flatMap(({ tools }) => tools),
    );
  } catch (error) {
    if (!(error instanceof ToolNameTakenError)) throw error;
    const message = `names an extension whose tool '${error.taken}' has the name of a tool that is there already. Rename one of them.`;
    throw new SettingsError([{ variable: 'PERDURE_EXTENSIONS', message }]);
  }
}

/** All speaking tools: the runtime's and those of extensions. */
export async function listSpeakingTools(db: Db | Tx): Promise<SpeakingTools> {
  const rows = await db
    .selectFrom('tools')
    .select(['name', sql<string | null>`extras->>'messaging'`.as('argument')])
    .where('tool_type', '=', extensionToolType)
    .execute();
  const own = rows.flatMap(({ name, argument }) => (argument === null ? [] : [[name, argument] as const]));
  return new Map([...speakingTools, ...own]);
}

/** The type of extensions' tools. */
export const extensionToolType = 'extension';

/**
 * Writes the rows of extensions' tools. Repeating it is harmless: a tool keeps its id and its agents. Throws
 * ToolNameTakenError where another tool has the name.
 */
export async function saveExtensionTools(db: Db | Tx, tools: readonly ToolDescription[]): Promise<void> {
  if (tools.length === 0) return;
  const builtin = tools.find((tool) => builtinTools.some(({ name }) => name === tool.name));
  if (builtin !== undefined) throw new ToolNameTakenError(builtin.name, true);
  await inTransaction(db, async (tx) => {
    const saved = await tx
      .insertInto('tools')
      .values(tools.map(toRow))
      .onConflict((conflict) =>
        conflict
          .column('name')
          .where(isOwnRow)
          .doUpdateSet({
            description: sql<string>`excluded.description`,
            json_schema: sql<string>`excluded.json_schema`,
            extras: sql<string>`excluded.extras`,
            updated_at: sql<Date>`clock_timestamp()`,
          })
          .where('tools.tool_type', '=', extensionToolType),
      )
      .returning('name')
      .execute();
    const names = new Set(saved.map(({ name }) => name));
    const taken = tools.find(({ name }) => !names.has(name));
    if (taken !== undefined) throw new ToolNameTakenError(taken.name, false);
  });
}

function toRow(tool: ToolDescription) {
  const { name, description, parameters } = tool;
  return {
    id: `tool-${randomUUID()}`,
    name,
    tool_type: extensionToolType,
    description: storable(description),
    source_type: null,
    source_code: null,
    json_schema: toJson({ name, description, parameters }),
    tags: [],
    extras: toJson(tool.kind === 'messaging' ? { messaging: tool.argument } : {}),
  };
}
