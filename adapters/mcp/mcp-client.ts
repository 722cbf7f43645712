import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema, ErrorCode, McpError as SdkError } from '@modelcontextprotocol/sdk/types.js';
import { type McpConfig, mcpHeaders, mcpSecrets } from '../../core/tools/mcp.js';
import { redact } from '../../core/tools/redaction.js';
import { boundFetch, boundIntake, type Intake } from './intake.js';
import { readMcpResult } from './mcp-results.js';
import { readMcpTools } from './mcp-schemas.js';
import { type McpAnswer, type McpCall, McpError, type McpTool } from './mcp-server.js';
import { processTransport } from './process-transport.js';

/** The library's code for a request without an answer in time. */
const requestTimeout: number = ErrorCode.RequestTimeout;

/** The most pages of tools to read, because a server might always name a next one. */
const mostPages = 50;

/** How long things may take, in ms, and the caller's signal. */
interface Limits {
  readonly connectMs: number;
  readonly graceMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The tools that a server lists. Throws McpError. */
export function listTools(config: McpConfig, limits: Limits): Promise<readonly McpTool[]> {
  return connected(config, limits, (client, signal) =>
    readTools(client, config, { timeout: limits.connectMs, signal }),
  );
}

/** Calls a tool of a server. Throws McpError. */
export function callTool(
  config: McpConfig,
  call: McpCall,
  limits: Limits & { readonly callMs: number },
): Promise<McpAnswer> {
  return connected(config, limits, async (client, signal) => {
    const params = { name: call.tool, arguments: { ...call.arguments } };
    const options = { timeout: limits.callMs, signal };
    const answer = readMcpResult(await client.callTool(params, CallToolResultSchema, options));
    return answer.ok ? answer : { ...answer, text: redact(answer.text, mcpSecrets(config)) };
  });
}

/** Schemas of results come from strangers too, and the library would compile them on this thread. */
const unchecked: jsonSchemaValidator = {
  // The library's type parameter does not matter: results are read as text.
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/**
 * Connects, works and closes the connection, and with it the server's process, if any. The work's signal is aborted
 * with the caller's, and where the server sends too much. Throws McpError.
 */
async function connected<T>(
  config: McpConfig,
  { connectMs, graceMs, signal }: Limits,
  work: (client: Client, ended: AbortSignal) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'perdure', version: '1.0.0' }, { jsonSchemaValidator: unchecked });
  const excess = new AbortController();
  const ended = AbortSignal.any([excess.signal, ...(signal === undefined ? [] : [signal])]);
  const take = boundIntake(nameOf(config), (error) => {
    excess.abort(error);
  });
  let isConnected = false;
  try {
    await client.connect(openTransport(config, { take, graceMs }), { timeout: connectMs, signal: ended });
    isConnected = true;
    return await work(client, ended);
  } catch (error) {
    ended.throwIfAborted();
    throw toMcpError(error, config, isConnected);
  } finally {
    // It may already be closed.
    await client.close().catch(() => undefined);
  }
}

function openTransport(config: McpConfig, ofProcess: Parameters<typeof processTransport>[1]): Transport {
  const { take } = ofProcess;
  switch (config.transport) {
    case 'stdio':
      return processTransport(config, ofProcess);
    case 'streamable_http':
      return new StreamableHTTPClientTransport(new URL(config.url), httpOptions(config, take));
    case 'sse':
      // Deprecated, but older servers need it.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      return new SSEClientTransport(new URL(config.url), httpOptions(config, take));
  }
}

function httpOptions(config: Extract<McpConfig, { readonly url: string }>, take: Intake) {
  return { requestInit: { headers: mcpHeaders(config) }, fetch: boundFetch(take) };
}

type ListedTool = Awaited<ReturnType<Client['listTools']>>['tools'][number];

async function readTools(
  client: Client,
  config: McpConfig,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<readonly McpTool[]> {
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await client.listTools(cursor === undefined ? {} : { cursor }, options);
    tools.push(...page.tools);
    cursor = page.nextCursor;
    if (cursor === undefined) return readMcpTools(tools, nameOf(config));
  }
  throw new McpError('protocol', `${nameOf(config)} lists more than ${mostPages} pages of tools.`);
}

function toMcpError(error: unknown, config: McpConfig, isConnected: boolean): McpError {
  if (error instanceof McpError) return error;
  const said = redact(error instanceof Error ? error.message : String(error), mcpSecrets(config));
  const what = nameOf(config);
  if (error instanceof SdkError && error.code === requestTimeout) {
    return new McpError('timeout', `${what} did not answer in time. Is it hanging?`, error);
  }
  return isConnected
    ? new McpError('protocol', `${what} sent an invalid answer: ${said.slice(0, 500)}`, error)
    : new McpError(
        'unreachable',
        `${what} can't be connected to: ${said.slice(0, 500)}. ${adviceFor(config)}`,
        error,
      );
}

function nameOf(config: McpConfig): string {
  return config.transport === 'stdio'
    ? `The MCP server \`${[config.command, ...config.args].join(' ')}\``
    : `The MCP server at ${config.url}`;
}

function adviceFor(config: McpConfig): string {
  return config.transport === 'stdio'
    ? 'Run the command by hand where the server and the worker run.'
    : 'Check its address, its transport and its token.';
}
