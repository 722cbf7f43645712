import { describePythonTool } from '../../adapters/python/describe-tool.js';
import { SourceError, transpile } from '../../adapters/javascript/transpile.js';
import { findSchemaFault } from '../../adapters/tool-schemas/check-schemas.js';
import { type ActivityTarget, callTimeMs, longestCallMs } from '../../core/tools/activity-tools.js';
import type { ClientGeneration } from '../../core/blocks/operations.js';
import { nameFault, type SourceType } from '../../core/tools/custom-tools.js';
import type { JsonSchemaObject, ToolSchema } from '../../core/models/model.js';
import { sizeFault } from '../../core/tools/schema-bounds.js';
import type { ToolDefinition } from '../../schema/tools/custom-tools.js';
import { RequestRefusedError } from '../http/problems.js';

/** A tool as a request describes it. */
export interface SentTool {
  readonly sourceCode: string;
  readonly sourceType: string;
  readonly description?: string | undefined;
  /** The whole schema, instead of the one read from the source. */
  readonly schema?: SentSchema | undefined;
  /** The schema of the arguments, instead of the one read from the signature. */
  readonly argsSchema?: JsonSchemaObject | undefined;
  /** The generation of the client that sent it: the source may use that client. */
  readonly generation: ClientGeneration;
}

export interface SentSchema {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters: JsonSchemaObject;
}

/**
 * The definition of a tool from source. Name, description and schema are read from the source where the request has
 * none; the source is not run. Throws RequestRefusedError with a sentence for the author.
 */
export async function defineTool(sent: SentTool): Promise<ToolDefinition> {
  const sourceType = toSourceType(sent);
  const described = await describe(sent);
  const { schema: own, argsSchema } = sent;
  const schema: ToolSchema = {
    name: described.name,
    description: own?.description ?? sent.description ?? described.description,
    parameters: own?.parameters ?? argsSchema ?? described.parameters,
  };
  const fault = nameFault(schema.name);
  if (fault !== undefined) throw new RequestRefusedError(400, fault);
  await refuseSchema(schema.parameters, 400);
  return {
    description: sent.description ?? schema.description,
    sourceType,
    sourceCode: sent.sourceCode,
    schema,
    argsSchema: argsSchema === undefined ? null : { ...argsSchema },
    runtime: {
      function: described.name,
      modules: described.modules,
      clientGeneration: sent.generation,
    },
  };
}

/**
 * The definition of a tool that calls an activity of a user's own worker. Throws RequestRefusedError with a sentence for
 * the author.
 */
export async function defineActivityTool(sent: {
  readonly activity: ActivityTarget;
  readonly schema: SentSchema;
  readonly description?: string | null | undefined;
}): Promise<ToolDefinition> {
  const { activity, schema: own } = sent;
  const description = own.description ?? sent.description ?? '';
  const schema: ToolSchema = { name: own.name, description, parameters: own.parameters };
  const fault = nameFault(schema.name) ?? timeFault(activity);
  if (fault !== undefined) throw new RequestRefusedError(422, fault);
  await refuseSchema(schema.parameters, 422);
  return {
    description: sent.description ?? description,
    sourceType: 'temporal',
    sourceCode: null,
    activity,
    schema,
    argsSchema: null,
    runtime: {},
  };
}

function timeFault(activity: ActivityTarget): string | undefined {
  if (callTimeMs(activity) <= longestCallMs) return undefined;
  return 'With these time-outs and attempts a call could take more than a day. Reduce them: attempts × (schedule_to_start_ms + start_to_close_ms) must be below 24 hours.';
}

/** Letta names `json` as the type of Python source that came with its schema, and so do programs that copy its tools. */
function toSourceType({ sourceType, schema }: SentTool): SourceType {
  if (sourceType === 'python' || sourceType === 'typescript') return sourceType;
  if (sourceType === 'json' && schema !== undefined) return 'python';
  throw new RequestRefusedError(
    400,
    `Source type '${sourceType}' is not supported. Send Python or TypeScript source.`,
  );
}

type Described = ToolSchema & { readonly modules: readonly string[] };

async function describe(sent: SentTool): Promise<Described> {
  return sent.sourceType === 'typescript' ? describeTypescript(sent) : describePython(sent);
}

/** The schema comes with the request. The source must parse and define the function. */
async function describeTypescript({ sourceCode, schema }: SentTool): Promise<Described> {
  if (schema?.description === undefined) {
    throw new RequestRefusedError(
      400,
      'A TypeScript tool needs a json_schema with name, description and parameters. Send it with the source.',
    );
  }
  try {
    await transpile(sourceCode);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw new RequestRefusedError(400, error.message);
  }
  const { name, description, parameters } = schema;
  const declared = [...sourceCode.matchAll(/\b(?:function|const|let|var)\s+([\w$]+)/g)].map(
    ([, found]) => found,
  );
  if (!declared.includes(name)) {
    throw new RequestRefusedError(
      400,
      `The source does not define '${name}', the function that the JSON schema names. Define it, or correct the name.`,
    );
  }
  return { name, description, parameters, modules: [] };
}

async function describePython(sent: SentTool): Promise<Described> {
  const described = await describePythonTool({
    source: sent.sourceCode,
    name: sent.schema?.name,
    hasDescription: (sent.schema?.description ?? sent.description) !== undefined,
    hasParameters: sent.schema !== undefined || sent.argsSchema !== undefined,
  });
  if (described === undefined) {
    throw new RequestRefusedError(
      503,
      'Python tools need Python 3.9 or newer on the server. Install python3, then send the tool again.',
    );
  }
  if (!described.ok) throw new RequestRefusedError(400, described.message);
  return described;
}

/** Throws RequestRefusedError where arguments can't be checked against this schema; 422 where it is too large. */
async function refuseSchema(parameters: JsonSchemaObject, status: number): Promise<void> {
  const size = sizeFault(parameters);
  const fault = size ?? (await findSchemaFault(parameters));
  if (fault === undefined) return;
  throw new RequestRefusedError(
    size === undefined ? status : 422,
    `The JSON schema of the tool's arguments ${fault}. Correct it.`,
  );
}
