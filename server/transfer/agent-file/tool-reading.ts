import { z } from 'zod';
import type { TransferredTool } from '../../../core/transfer/transfer.js';
import type { ToolRuntime } from '../../../core/tools/custom-tools.js';
import type { ToolSchema } from '../../../core/models/model.js';
import { fromWireActivity } from '../../tools/activity-tools-wire.js';
import { without, withoutNulls } from '../../http/fields-wire.js';
import { keptToolExtras } from '../../tools/tool-requests-wire.js';
import type { ToolEntry } from './document.js';

/** Default for the characters of a tool's result that the model gets. */
const returnLimit = 50_000;

/** A tool of a file. Its source is not read here; that happens when the tool is created. */
export function fromToolEntry(
  entry: ToolEntry,
  clientGeneration: ToolRuntime['clientGeneration'] = '1',
): TransferredTool {
  const { data: kept = {} } = keptToolExtras.safeParse(entry);
  const { data: schema } = anySchema.safeParse(entry.json_schema);
  return {
    id: entry.id,
    name: entry.name,
    toolType: entry.tool_type,
    description: entry.description ?? '',
    // What Letta stores where its client names no type, as clients do for Python.
    sourceType: entry.source_type === 'json' ? 'python' : (entry.source_type ?? null),
    sourceCode: entry.source_code ?? null,
    schema: schema === undefined ? null : withoutHeartbeat(schema),
    argsSchema: entry.args_json_schema ?? null,
    requirements: (entry.pip_requirements ?? []).map(({ name, version }) => ({
      name,
      ...(version == null ? {} : { version }),
    })),
    runtime: { clientGeneration },
    tags: entry.tags ?? [],
    returnLimit: entry.return_char_limit ?? returnLimit,
    extras: {
      ...withoutNulls(kept),
      ...(entry.activity == null ? {} : { activity: { ...fromWireActivity(entry.activity) } }),
    },
  };
}

const anySchema = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  parameters: z
    .looseObject({
      properties: z.record(z.string(), z.unknown()).nullish(),
      required: z.array(z.string()).nullish(),
    })
    .nullish(),
});

/** The schema without `request_heartbeat`: earlier Letta servers stored it with a tool's arguments; here the runtime adds it. */
function withoutHeartbeat(schema: z.infer<typeof anySchema>): ToolSchema {
  const { properties, required } = schema.parameters ?? {};
  const own = without(properties ?? {}, 'request_heartbeat');
  return {
    name: schema.name,
    description: schema.description ?? '',
    parameters: {
      ...schema.parameters,
      type: 'object',
      properties: own as ToolSchema['parameters']['properties'],
      required: (required ?? []).filter((name) => name !== 'request_heartbeat'),
    },
  };
}
