import type { McpConfig } from '../../core/tools/mcp.js';
import type { JsonSchemaObject } from '../../core/models/model.js';

/** A tool as its server describes it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchemaObject;
}

/** A server's answer to a call, including its own errors. */
export interface McpAnswer {
  readonly ok: boolean;
  readonly text: string;
}

/** MCP servers. Each call has a connection of its own, which is always closed. */
export interface McpServers {
  /** Throws McpError. */
  listTools(config: McpConfig, options?: { readonly signal?: AbortSignal }): Promise<readonly McpTool[]>;
  /** Throws McpError. */
  callTool(config: McpConfig, call: McpCall, options?: { readonly signal?: AbortSignal }): Promise<McpAnswer>;
}

export interface McpCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * `unreachable`: it doesn't start, or can't be connected to. `timeout`: it hangs. `protocol`: its answer violates
 * MCP, for example a tool without a schema. The message is for the person who registered the server.
 */
export class McpError extends Error {
  override readonly name = 'McpError';
  readonly kind: 'unreachable' | 'timeout' | 'protocol';

  constructor(kind: McpError['kind'], message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
  }
}

/** The server is a command, and the settings allow none. */
export class McpCommandsOffError extends McpError {
  constructor() {
    super(
      'unreachable',
      'An MCP server over stdio runs a command on this machine, which is not allowed. Set PERDURE_MCP_COMMANDS=true for servers and workers, or use a server over HTTP.',
    );
  }
}
