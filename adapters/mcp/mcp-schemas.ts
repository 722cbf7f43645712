import { Ajv } from 'ajv';
import type { JsonSchemaObject } from '../../core/turns/model.js';
import { McpError, type McpTool } from './mcp-server.js';

/** Only says whether a schema is one; arguments are checked where tools run. */
const ajv = new Ajv({ strict: false, validateFormats: false, logger: false });

/** What a server says of a tool. */
interface DescribedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** The tool, with a schema that models can be given. Throws McpError where it is none. */
export function readMcpTool(tool: DescribedTool, server: string): McpTool {
  // Models' providers refuse a name of the dialect.
  const schema = Object.fromEntries(Object.entries(tool.inputSchema).filter(([name]) => name !== '$schema'));
  const { properties = {} } = schema;
  const isSchema = schema['type'] === 'object' && isObject(properties) && compiles(schema);
  if (!isSchema) {
    throw new McpError(
      'protocol',
      `${server} describes its tool ${tool.name} by a schema that is none: \`inputSchema\` must be a JSON Schema of an object.`,
    );
  }
  return {
    name: tool.name,
    description: tool.description ?? '',
    parameters: toParameters(schema, properties),
  };
}

function compiles(schema: Readonly<Record<string, unknown>>): boolean {
  try {
    ajv.compile(schema);
    return true;
  } catch {
    return false;
  }
}

function toParameters(
  schema: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, unknown>>,
): JsonSchemaObject {
  const { required } = schema;
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  // Checked above: what the library calls a schema is any JSON object here.
  return { ...schema, type: 'object', properties, required: names } as JsonSchemaObject;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
