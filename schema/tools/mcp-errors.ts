import { ClashError, MissingError } from '../db/caller-errors.js';

/** No such MCP server, by its id or its name. */
export class McpServerNotFoundError extends MissingError {
  override readonly name = 'McpServerNotFoundError';
  readonly idOrName: string;

  constructor(idOrName: string) {
    super(`MCP server ${idOrName} not found. List the MCP servers to see which there are.`);
    this.idOrName = idOrName;
  }
}

/** Another MCP server has this name. */
export class McpServerTakenError extends ClashError {
  override readonly name = 'McpServerTakenError';
  readonly serverName: string;

  constructor(serverName: string) {
    super(`There is an MCP server called '${serverName}' already. Change that one, or use another name.`);
    this.serverName = serverName;
  }
}
