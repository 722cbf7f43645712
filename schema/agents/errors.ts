import { ClashError, NotFoundError, TakenError } from '../db/errors.js';

/** No such agent, or a deleted one. */
export class AgentNotFoundError extends NotFoundError {
  constructor(agentId: string) {
    super('Agent', agentId, 'List the agents to see which there are.');
  }
}

/** An agent was to be created under an id that another one has or had. */
export class AgentIdTakenError extends TakenError {
  constructor(agentId: string) {
    super(
      agentId,
      `An agent has or had the ID ${agentId}. Choose another ID, or leave it out to get a new one.`,
    );
  }
}

/** An agent was to be seen as of a moment at which it can't be. */
export class MomentRefusedError extends ClashError {
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
