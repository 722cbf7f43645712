import { z } from 'zod';
import { queryBoolean } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';

/** Options of an export. */
export const exportQuery = z.object({
  conversation_id: idOf('conv').optional(),
  scrub_messages: queryBoolean.default(false),
  use_legacy_format: queryBoolean.default(false),
  /** Sent by old clients and ignored: the file always has the whole transcript. */
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

/** Options of an import: form fields of newer clients, query parameters of older ones. */
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

/** Options of an import. */
export interface ImportOptions {
  /** Name of the file's first agent. */
  readonly name: string | undefined;
  /** Whether `_copy` is appended to the names of agents. */
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

/** The options of the fields. Fields of newer clients override those of older ones. */
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

/** The result of an import. Clients of 0.1.x read it as the agent. `notes` is not Letta's: what of the file was left out. */
export const importedAgents = z
  .looseObject({ agent_ids: z.array(z.string()), notes: z.array(z.string()) })
  .meta({ id: 'ImportedAgentsResponse' });
