import { z } from 'zod';
import type { ToolFields } from '../../schema/tools/custom-tools.js';
import { definedFields } from '../http/defined-fields.js';
import { activityField } from './activity-tools-wire.js';
import { freeObject, int32, withoutNulls } from '../http/fields-wire.js';

const longestSource = 1_000_000;

/** A package. Only a name and a version: other forms that pip and npm accept could read the server's files. */
const requirement = z.object({
  name: z.string().regex(/^(@[\w.-]+\/)?[A-Za-z0-9][\w.-]*(\[[\w,.-]+\])?$/, {
    error: 'must be a package’s name, such as requests',
  }),
  version: z
    .string()
    .regex(/^\d[\w.!+-]*$/, { error: 'must be an exact version, such as 2.32.3' })
    .nullish(),
});

/** Fields of a tool that are stored and returned. */
const keptFields = {
  npm_requirements: z
    .array(requirement)
    .max(0, {
      error:
        'is not supported: TypeScript tools can only import Node’s own modules. Include what they need in the source, or make the tool a Temporal activity of your own worker',
    })
    .nullish(),
  default_requires_approval: z.boolean().nullish(),
  enable_parallel_execution: z.boolean().nullish(),
  metadata_: freeObject.nullish(),
};

const argumentsSchema = z.looseObject({
  type: z.literal('object').default('object'),
  properties: z.record(z.string(), freeObject).default({}),
  required: z.array(z.string()).default([]),
});

/** A tool's own schema, which models get unchanged. */
const ownSchema = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  parameters: argumentsSchema.prefault({}),
});

const sharedFields = {
  description: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  source_type: z.string().nullish(),
  json_schema: ownSchema.nullish(),
  args_json_schema: argumentsSchema.nullish(),
  return_char_limit: int32.min(1).max(1_000_000).nullish(),
  pip_requirements: z.array(requirement).nullish(),
  activity: activityField.nullish(),
  ...keptFields,
};

const sourceCode = z.string().min(1).max(longestSource);

/** A tool with its source. */
export const sourceToolBody = z.object({ ...sharedFields, source_code: sourceCode });

/**
 * A new tool, or a change of the one with its name. The source alone is enough. A tool without source is an activity of a
 * Temporal worker and needs a schema.
 */
export const createToolBody = z
  .object({ ...sharedFields, source_code: sourceCode.nullish() })
  .superRefine((body, context) => {
    for (const [field, message] of formFaults(body)) {
      context.addIssue({ code: 'custom', path: [field], message });
    }
  })
  .meta({ id: 'ToolCreate' });

/** Changes of a tool; absent and null fields stay as they are. */
export const updateToolBody = z
  .object({ ...sharedFields, source_code: sourceCode.nullish() })
  .meta({ id: 'ToolUpdate' });

export type CreateToolBody = z.infer<typeof createToolBody>;
export type UpdateToolBody = z.infer<typeof updateToolBody>;

interface ToolForm {
  readonly source_code?: string | null | undefined;
  readonly source_type?: string | null | undefined;
  readonly json_schema?: object | null | undefined;
  readonly args_json_schema?: object | null | undefined;
  readonly activity?: object | null | undefined;
}

/** Fields of a new tool that don't fit together: a tool either has a source or is an activity. */
function formFaults(body: ToolForm): readonly (readonly [field: string, message: string])[] {
  const isActivity = body.activity != null || body.source_type === 'temporal';
  const faults = isActivity
    ? ([
        [body.activity == null, 'activity', 'is needed: the task queue and the name of the activity'],
        [
          body.json_schema == null,
          'json_schema',
          'is needed: the tool’s name and the schema of its arguments',
        ],
        [body.source_code != null, 'source_code', 'is not allowed for a tool that is an activity'],
        [
          body.args_json_schema != null,
          'args_json_schema',
          'is not allowed for an activity: use `parameters` of json_schema',
        ],
        [(body.source_type ?? 'temporal') !== 'temporal', 'source_type', 'must be temporal for an activity'],
      ] as const)
    : ([[body.source_code == null, 'source_code', 'is needed, or `activity` instead']] as const);
  return faults.flatMap(([isFault, field, message]) => (isFault ? [[field, message] as const] : []));
}

/** The fields of a tool that are not part of its definition. */
export function toToolFields(body: UpdateToolBody): ToolFields {
  const extras = withoutNulls(Object.fromEntries(Object.entries(body).filter(([key]) => key in keptFields)));
  return definedFields({
    requirements: body.pip_requirements?.map(({ name, version }) => ({
      name,
      ...(version == null ? {} : { version }),
    })),
    tags: body.tags ?? undefined,
    returnLimit: body.return_char_limit ?? undefined,
    extras: Object.keys(extras).length === 0 ? undefined : extras,
  });
}

/** The fields that were stored with a tool as they came. */
export const keptToolExtras = z.object(keptFields);
