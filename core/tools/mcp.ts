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
      /** The header that the token goes into; null: `Authorization`, as a bearer token. */
      readonly authHeader: string | null;
      readonly authToken: string | null;
    };

/** The headers that every request to a server over HTTP carries. */
export function mcpHeaders(config: Extract<McpConfig, { url: string }>): Record<string, string> {
  const { headers, authHeader, authToken } = config;
  if (authToken === null) return { ...headers };
  return authHeader === null
    ? { ...headers, Authorization: `Bearer ${authToken}` }
    : { ...headers, [authHeader]: authToken };
}

/** What nobody may read of a configuration, by names that say what it is. */
export function mcpSecrets(config: McpConfig): Readonly<Record<string, string>> {
  if (config.transport === 'stdio') return config.env;
  const { headers, authToken } = config;
  return authToken === null ? headers : { ...headers, token: authToken };
}
