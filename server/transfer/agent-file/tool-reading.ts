import { z } from 'zod';
import type { BundledTool } from '../../../core/transfer/bundle.js';
import type { ToolRuntime } from '../../../core/tools/custom-tools.js';
import type { ToolSchema } from '../../../core/turns/model.js';
import { fromWireActivity } from '../../tools/activity-tools-wire.js';
import { without, withoutNulls } from '../../http/fields-wire.js';
import { keptToolExtras } from '../../tools/tool-requests-wire.js';
import type { ToolEntry } from './document.js';

/** Characters of a result that the model is shown, of a tool that says nothing of it. */
const returnLimit = 50_000;

/** A tool as a file has it. What its source says is not read here: whoever makes the tool does that anew. */
export function fromToolEntry(
  entry: ToolEntry,
  clientGeneration: ToolRuntime['clientGeneration'] = '1',
): BundledTool {
  const { data: kept = {} } = keptToolExtras.safeParse(entry);
  const { data: schema } = anySchema.safeParse(entry.json_schema);
  return {
    id: entry.id,
    name: entry.name,
    toolType: entry.tool_type,
    description: entry.description ?? '',
    sourceType: entry.source_type ?? null,
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

/** Earlier servers of Letta kept the wish for another step among a tool's own arguments; here the runtime adds it. */
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
