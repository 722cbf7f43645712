import { z } from 'zod';
import type { ToolFields } from '../../schema/tools/custom-tools.js';
import { definedFields } from '../http/defined-fields.js';
import { activityField } from './activity-tools-wire.js';
import { freeObject, int32, withoutNulls } from '../http/fields-wire.js';

const longestSource = 1_000_000;

/** A package. Names and versions only: what else pip and npm understand could read the server's files. */
const requirement = z.object({
  name: z.string().regex(/^(@[\w.-]+\/)?[A-Za-z0-9][\w.-]*(\[[\w,.-]+\])?$/, {
    error: 'must be a package’s name, such as requests',
  }),
  version: z
    .string()
    .regex(/^\d[\w.!+-]*$/, { error: 'must be an exact version, such as 2.32.3' })
    .nullish(),
});

/** Fields of a tool that are kept and given back. */
const keptFields = {
  npm_requirements: z
    .array(requirement)
    .max(0, {
      error:
        'is not served: tools in TypeScript import Node’s own modules alone. Put what they need into the source, or make the tool a Temporal activity of a worker of your own',
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

/** A tool's own schema, which is shown to models as it is. */
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

/** A tool by its source. */
export const sourceToolBody = z.object({ ...sharedFields, source_code: sourceCode });

/**
 * A tool to be made, or made anew under its name. Its source alone is enough; a tool without one is an activity of a
 * Temporal worker, with the schema of its arguments.
 */
export const createToolBody = z
  .object({ ...sharedFields, source_code: sourceCode.nullish() })
  .superRefine((body, context) => {
    for (const [field, message] of formFaults(body)) {
      context.addIssue({ code: 'custom', path: [field], message });
    }
  })
  .meta({ id: 'ToolCreate' });

/** What is to change of a tool; absent and null fields stay. */
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

/** What is wrong with a new tool's fields together: a tool has a source, or it is an activity. */
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
        [body.source_code != null, 'source_code', 'has no place in a tool that is an activity'],
        [body.args_json_schema != null, 'args_json_schema', 'goes into `parameters` of json_schema'],
        [(body.source_type ?? 'temporal') !== 'temporal', 'source_type', 'must be temporal for an activity'],
      ] as const)
    : ([[body.source_code == null, 'source_code', 'is needed, or `activity` in its place']] as const);
  return faults.flatMap(([isFault, field, message]) => (isFault ? [[field, message] as const] : []));
}

/** What a request says of a tool beside its definition. */
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

/** What was kept with a tool, read back. */
export const keptToolExtras = z.object(keptFields);
