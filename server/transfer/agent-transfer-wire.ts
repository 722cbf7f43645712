import { z } from 'zod';
import { queryBoolean } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';

/** How an agent is to be exported. */
export const exportQuery = z.object({
  conversation_id: idOf('conv').optional(),
  scrub_messages: queryBoolean.default(false),
  use_legacy_format: queryBoolean.default(false),
  /** Of old clients; the whole transcript is in the file, however many steps it took. */
  max_steps: z.coerce.number().optional(),
});

const text = z
  .string()
  .optional()
  .transform((given) => (given === '' ? undefined : given));
const flag = z.union([queryBoolean, z.literal('').transform(() => undefined)]).optional();

const variables = text.transform((json, context): Record<string, string> | undefined => {
  if (json === undefined) return undefined;
  try {
    return z.record(z.string(), z.coerce.string()).parse(JSON.parse(json));
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a JSON object of texts, such as {"API_KEY": "…"}' });
    return z.NEVER;
  }
});

/** How a file is to be imported: form fields of newer clients, query parameters of older ones. */
export const importFields = z.object({
  append_copy_suffix: flag,
  override_existing_tools: flag,
  strip_messages: flag,
  name: text,
  override_name: text,
  model: text,
  override_model_handle: text,
  embedding: text,
  override_embedding_handle: text,
  project_id: text,
  secrets: variables,
  env_vars_json: variables,
});

/** How a file is to be imported. */
export interface ImportOptions {
  /** Of the file's first agent. */
  readonly name: string | undefined;
  /** Whether agents that keep their names get `_copy` behind them. */
  readonly appendsSuffix: boolean;
  readonly replacesTools: boolean;
  readonly stripsMessages: boolean;
  /** Handle; absent: as the file says. */
  readonly model: string | undefined;
  /** Handle; absent: as the file says. */
  readonly embedding: string | undefined;
  readonly projectId: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
}

/** What the fields ask for. The names of newer clients count before those of older ones. */
export function toImportOptions(
  fields: z.infer<typeof importFields>,
  embeddingHeader?: string,
): ImportOptions {
  return {
    name: fields.name ?? fields.override_name,
    appendsSuffix: fields.append_copy_suffix ?? true,
    replacesTools: fields.override_existing_tools ?? true,
    stripsMessages: fields.strip_messages ?? false,
    model: fields.model ?? fields.override_model_handle,
    embedding: fields.embedding ?? fields.override_embedding_handle ?? embeddingHeader,
    projectId: fields.project_id,
    variables: fields.secrets ?? fields.env_vars_json ?? {},
  };
}

/** What an import has made. To clients of 0.1.x it is the agent itself; `notes` are ours: what the file had and this server has not. */
export const importedAgents = z
  .looseObject({ agent_ids: z.array(z.string()), notes: z.array(z.string()) })
  .meta({ id: 'ImportedAgentsResponse' });
