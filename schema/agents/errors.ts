import { ClashError, MissingError } from '../db/caller-errors.js';

/** No such agent, or a deleted one. */
export class AgentNotFoundError extends MissingError {
  override readonly name = 'AgentNotFoundError';
  readonly agentId: string;

  constructor(agentId: string) {
    super(`Agent with ID ${agentId} not found. List the agents to see which there are.`);
    this.agentId = agentId;
  }
}

/** An agent was to be created under an id that another one has or had. */
export class AgentIdTakenError extends ClashError {
  override readonly name = 'AgentIdTakenError';
  readonly agentId: string;

  constructor(agentId: string) {
    super(
      `There is or was an agent with ID ${agentId}. Choose another ID, or leave it out to get a new one.`,
    );
    this.agentId = agentId;
  }
}

/** An agent was to be seen as of a moment at which it can't be. */
export class MomentRefusedError extends ClashError {
  override readonly name = 'MomentRefusedError';
  readonly code: 'early' | 'late' | 'unanswered';

  constructor(
    code: MomentRefusedError['code'],
    about: {
      readonly agentId?: string;
      readonly since?: Date;
      readonly stepId?: string;
      readonly threadId?: string;
    },
  ) {
    const { agentId = '', since, stepId, threadId = '' } = about;
    const messages = {
      early: `Agent ${agentId} was made at ${since?.toISOString() ?? ''} and can't be seen as of a moment before. A fork has its past from its original: fork that one.`,
      late: `The moment is in the future of agent ${agentId}. Name one that has passed, or none for now.`,
      unanswered: `${stepId === undefined ? `What was said in ${threadId}` : `Step ${stepId}`} has no answer yet, or its tools still run. Wait for the end of its run, or name an earlier one.`,
    };
    super(messages[code]);
    this.code = code;
  }
}
