/** How an MCP server is reached. */
export type McpConfig =
  | {
      readonly transport: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly transport: 'streamable_http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** The header of the token; null: `Authorization`, as a bearer token. */
      readonly authHeader: string | null;
      readonly authToken: string | null;
    };

/** The headers of every HTTP request to the server. */
export function mcpHeaders(config: Extract<McpConfig, { url: string }>): Record<string, string> {
  const { headers, authHeader, authToken } = config;
  if (authToken === null) return { ...headers };
  return authHeader === null
    ? { ...headers, Authorization: `Bearer ${authToken}` }
    : { ...headers, [authHeader]: authToken };
}

/** The secrets of a configuration, each with a name that says what it is. */
export function mcpSecrets(config: McpConfig): Readonly<Record<string, string>> {
  if (config.transport === 'stdio') return config.env;
  const { headers, authToken } = config;
  return authToken === null ? headers : { ...headers, token: authToken };
}
