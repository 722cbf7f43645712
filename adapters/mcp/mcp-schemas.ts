import type { JsonSchemaObject } from '../../core/models/model.js';
import { findSchemaFault } from '../tool-schemas/check-schemas.js';
import { McpError, type McpTool } from './mcp-server.js';

/** The most tools of a server, and the most characters of their schemas together, as JSON. */
const mostTools = 1_000;
const mostCharacters = 4_000_000;

/** A tool as its server describes it. */
interface DescribedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** The tools, with schemas for models. Throws McpError where a schema is invalid or there is too much. */
export async function readMcpTools(
  tools: readonly DescribedTool[],
  server: string,
): Promise<readonly McpTool[]> {
  if (tools.length > mostTools) throw tooMuch(server, `${tools.length} tools`, String(mostTools));
  const read: McpTool[] = [];
  let characters = 0;
  for (const tool of tools) {
    const one = await readTool(tool, server);
    characters += JSON.stringify(one).length;
    if (characters > mostCharacters) {
      throw tooMuch(server, 'tools whose schemas are too long together', `${mostCharacters} characters`);
    }
    read.push(one);
  }
  return read;
}

function tooMuch(server: string, what: string, most: string): McpError {
  return new McpError('protocol', `${server} lists ${what}, but at most ${most} are allowed.`);
}

async function readTool(tool: DescribedTool, server: string): Promise<McpTool> {
  // Providers refuse the dialect's name.
  const schema = Object.fromEntries(Object.entries(tool.inputSchema).filter(([name]) => name !== '$schema'));
  const { properties = {} } = schema;
  const name = tool.name.slice(0, 100);
  if (schema['type'] !== 'object' || !isObject(properties)) {
    throw new McpError(
      'protocol',
      `${server} describes its tool ${name} by an invalid schema: \`inputSchema\` must be a JSON Schema of an object.`,
    );
  }
  const parameters = toParameters(schema, properties);
  const fault = await findSchemaFault(parameters);
  if (fault !== undefined) {
    throw new McpError('protocol', `${server} describes its tool ${name} by a schema that ${fault}.`);
  }
  return { name: tool.name, description: tool.description ?? '', parameters };
}

function toParameters(
  schema: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, unknown>>,
): JsonSchemaObject {
  const { required } = schema;
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  // Checked above. The library's type is any JSON object.
  return { ...schema, type: 'object', properties, required: names } as JsonSchemaObject;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
