import { ClashError, MissingError, MistakeError, TakenError } from '../db/errors.js';

/** One or more names or ids of tools are unknown. */
export class ToolNotFoundError extends MissingError {
  readonly namesOrIds: readonly string[];

  constructor(namesOrIds: readonly string[]) {
    const many = namesOrIds.length > 1;
    super(
      `${many ? 'Tools' : 'Tool'} not found: ${namesOrIds.join(', ')}. List the tools to see which there are, or create ${many ? 'them' : 'it'} first.`,
    );
    this.namesOrIds = namesOrIds;
  }
}

/** Another tool has this name. */
export class ToolNameTakenError extends TakenError {
  constructor(toolName: string, isBuiltIn: boolean) {
    super(
      toolName,
      isBuiltIn
        ? `A built-in tool is named '${toolName}'. Give the function another name.`
        : `A tool named '${toolName}' already exists. Upsert it (PUT /v1/tools) to replace it, or use another name.`,
    );
  }
}

/** One of the tool's agents has another tool with this name. */
export class AgentHasToolError extends ClashError {
  readonly toolName: string;
  readonly agentId: string;

  constructor(toolName: string, agentId: string) {
    super(
      `Agent ${agentId} has this tool and another one named '${toolName}'. Detach one of them, or use another name.`,
    );
    this.toolName = toolName;
    this.agentId = agentId;
  }
}

/** Built-in tools can't be changed or deleted. */
export class ToolNotCustomError extends MistakeError {
  readonly toolName: string;

  constructor(toolName: string) {
    super(
      `Tool '${toolName}' is not a custom tool, so it can't be changed or deleted. Detach it from agents instead.`,
    );
    this.toolName = toolName;
  }
}

/** No MCP server has this id or name. */
export class McpServerNotFoundError extends MissingError {
  readonly idOrName: string;

  constructor(idOrName: string) {
    super(`MCP server ${idOrName} not found. List the MCP servers to see which there are.`);
    this.idOrName = idOrName;
  }
}

/** Another MCP server has this name. */
export class McpServerTakenError extends TakenError {
  constructor(name: string) {
    super(name, `An MCP server named '${name}' already exists. Change that one, or use another name.`);
  }
}
