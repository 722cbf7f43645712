import { ClashError, NotFoundError, TakenError } from '../db/errors.js';

/** No such agent, or a deleted one. */
export class AgentNotFoundError extends NotFoundError {
  constructor(agentId: string) {
    super('Agent', agentId, 'List the agents to see which there are.');
  }
}

/** The id of a new agent belongs or belonged to another one. */
export class AgentIdTakenError extends TakenError {
  constructor(agentId: string) {
    super(
      agentId,
      `An agent has or had the ID ${agentId}. Choose another ID, or leave it out to get a new one.`,
    );
  }
}

/** The agent can't be shown as of the wanted moment. */
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
      early: `Agent ${agentId} was created at ${since?.toISOString() ?? ''} and has no earlier past. If it is a fork, use its original.`,
      late: `The moment is in the future of agent ${agentId}. Name one that has passed, or none for now.`,
      unanswered: `${stepId === undefined ? `What was said in ${threadId}` : `Step ${stepId}`} has no answer yet, or its tools still run. Wait for its run to end, or name an earlier one.`,
    };
    super(messages[code]);
    this.code = code;
  }
}
