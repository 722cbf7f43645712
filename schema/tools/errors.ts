import { ClashError, MissingError, MistakeError } from '../db/caller-errors.js';

/** One or more tools are unknown, by name or by id. */
export class ToolNotFoundError extends MissingError {
  override readonly name = 'ToolNotFoundError';
  readonly namesOrIds: readonly string[];

  constructor(namesOrIds: readonly string[]) {
    const many = namesOrIds.length > 1;
    super(
      `${many ? 'Tools' : 'Tool'} not found: ${namesOrIds.join(', ')}. List the tools to see which there are, or create ${many ? 'them' : 'it'} first.`,
    );
    this.namesOrIds = namesOrIds;
  }
}

/** A tool was to get a name that another one has. */
export class ToolNameTakenError extends ClashError {
  override readonly name = 'ToolNameTakenError';
  readonly toolName: string;

  constructor(toolName: string, isBuiltIn: boolean) {
    super(
      isBuiltIn
        ? `Tool name '${toolName}' is that of a tool which comes with the server. Give the function another name.`
        : `There is a tool named '${toolName}' already. Upsert it (PUT /v1/tools) to replace it, or use another name.`,
    );
    this.toolName = toolName;
  }
}

/** A tool was to get a name that another tool of one of its agents has. */
export class AgentHasToolError extends ClashError {
  override readonly name = 'AgentHasToolError';
  readonly toolName: string;
  readonly agentId: string;

  constructor(toolName: string, agentId: string) {
    super(
      `Agent ${agentId} has this tool and another one named '${toolName}'. Detach one of them from it, or use another name.`,
    );
    this.toolName = toolName;
    this.agentId = agentId;
  }
}

/** A tool that comes with the server was to be changed or deleted. */
export class ToolNotCustomError extends MistakeError {
  override readonly name = 'ToolNotCustomError';
  readonly toolName: string;

  constructor(toolName: string) {
    super(
      `Tool '${toolName}' is not a custom one: it can't be changed or deleted. Detach it from agents instead.`,
    );
    this.toolName = toolName;
  }
}
