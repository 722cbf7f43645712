import type { McpConfig } from '../../core/tools/mcp.js';
import type { JsonSchemaObject } from '../../core/turns/model.js';

/** A tool as its server describes it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchemaObject;
}

/** What a server answered to a call, its own errors included. */
export interface McpAnswer {
  readonly ok: boolean;
  readonly text: string;
}

/** MCP servers as the rest of the program uses them: each call is a connection of its own, ended in any case. */
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
 * `unreachable`: it doesn't start, or can't be connected to. `timeout`: it hangs. `protocol`: it answers what MCP does
 * not allow, such as tools without a schema. The message is for whoever registered the server.
 */
export class McpError extends Error {
  override readonly name = 'McpError';
  readonly kind: 'unreachable' | 'timeout' | 'protocol';

  constructor(kind: McpError['kind'], message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
  }
}

/** The server is a command, and the settings let none be run. */
export class McpCommandsOffError extends McpError {
  constructor() {
    super(
      'unreachable',
      'An MCP server over stdio runs a command on this machine, which is off. Set PERDURE_MCP_COMMANDS=true for servers and workers, or use a server over HTTP.',
    );
  }
}
