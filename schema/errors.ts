import { unifiedDiff } from '../core/unified-diff.js';

/** The caller's mistakes. Each message is a sentence for the user that says what to do; the server maps the classes. */

/** No such agent, or a deleted one. */
export class AgentNotFoundError extends Error {
  override readonly name = 'AgentNotFoundError';
  readonly agentId: string;

  constructor(agentId: string) {
    super(`Agent with ID ${agentId} not found. List the agents to see which there are.`);
    this.agentId = agentId;
  }
}

/** An agent was to be created under an id that another one has or had. */
export class AgentIdTakenError extends Error {
  override readonly name = 'AgentIdTakenError';
  readonly agentId: string;

  constructor(agentId: string) {
    super(
      `There is or was an agent with ID ${agentId}. Choose another ID, or leave it out to get a new one.`,
    );
    this.agentId = agentId;
  }
}

/** No such block; or, with `agentId` and `label`, no block of that label attached to the agent. */
export class BlockNotFoundError extends Error {
  override readonly name = 'BlockNotFoundError';
  readonly blockId: string | null;
  readonly agentId: string | null;
  readonly label: string | null;

  constructor(missing: { readonly blockId: string } | { readonly agentId: string; readonly label: string }) {
    super(
      'blockId' in missing
        ? `Block with ID ${missing.blockId} not found. List the blocks to see which there are.`
        : `Agent ${missing.agentId} has no block labelled '${missing.label}'. List the agent's blocks, or attach one with this label.`,
    );
    this.blockId = 'blockId' in missing ? missing.blockId : null;
    this.agentId = 'blockId' in missing ? null : missing.agentId;
    this.label = 'blockId' in missing ? null : missing.label;
  }
}

export class ThreadNotFoundError extends Error {
  override readonly name = 'ThreadNotFoundError';
  readonly threadId: string;

  constructor(threadId: string) {
    super(`Thread with ID ${threadId} not found. Use an agent's ID for its default thread.`);
    this.threadId = threadId;
  }
}

/** No such conversation, or a deleted one. */
export class ConversationNotFoundError extends Error {
  override readonly name = 'ConversationNotFoundError';
  readonly conversationId: string;

  constructor(conversationId: string) {
    super(
      `Conversation with ID ${conversationId} not found. List the agent's conversations to see which there are.`,
    );
    this.conversationId = conversationId;
  }
}

/** An approval names calls that never waited for one, or nothing waits at all. */
export class ApprovalMismatchError extends Error {
  override readonly name = 'ApprovalMismatchError';
  readonly threadId: string;
  readonly unknown: readonly string[];
  readonly waiting: readonly string[];

  constructor(given: {
    readonly threadId: string;
    readonly unknown: readonly string[];
    readonly waiting: readonly string[];
  }) {
    const { threadId, unknown, waiting } = given;
    const which = unknown.length === 0 ? 'No tool call' : `No tool call ${unknown.join(', ')}`;
    const instead =
      waiting.length === 0 ? 'Send a message instead.' : `Those that wait are: ${waiting.join(', ')}.`;
    super(`${which} waits for an approval in ${threadId}. ${instead}`);
    this.threadId = threadId;
    this.unknown = unknown;
    this.waiting = waiting;
  }
}

/** A message that something is to be done with is not where the caller thinks. */
export class MessageNotFoundError extends Error {
  override readonly name = 'MessageNotFoundError';
  readonly messageId: string;

  constructor(messageId: string, where: string) {
    super(`Message with ID ${messageId} not found ${where}. List the messages to see which there are.`);
    this.messageId = messageId;
  }
}

/** An agent was to be seen as of a moment at which it can't be. */
export class MomentRefusedError extends Error {
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

export class TurnNotFoundError extends Error {
  override readonly name = 'TurnNotFoundError';
  readonly turnId: string;

  constructor(turnId: string) {
    super(`Run with ID ${turnId} not found. List the runs to see which there are.`);
    this.turnId = turnId;
  }
}

export class StepNotFoundError extends Error {
  override readonly name = 'StepNotFoundError';
  readonly stepId: string;

  constructor(stepId: string) {
    super(`Step with ID ${stepId} not found. List the steps of a run to see which there are.`);
    this.stepId = stepId;
  }
}

/** One or more tools are unknown, by name or by id. */
export class ToolNotFoundError extends Error {
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
export class ToolNameTakenError extends Error {
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

/** A tool that comes with the server was to be changed or deleted. */
export class ToolNotCustomError extends Error {
  override readonly name = 'ToolNotCustomError';
  readonly toolName: string;

  constructor(toolName: string) {
    super(
      `Tool '${toolName}' is not a custom one: it can't be changed or deleted. Detach it from agents instead.`,
    );
    this.toolName = toolName;
  }
}

export class PassageNotFoundError extends Error {
  override readonly name = 'PassageNotFoundError';
  readonly passageId: string;

  constructor(passageId: string) {
    super(`Passage with ID ${passageId} not found. List the agent's archival memory to see which there are.`);
    this.passageId = passageId;
  }
}

/** An agent can't have two blocks with one label. */
export class LabelTakenError extends Error {
  override readonly name = 'LabelTakenError';
  readonly label: string;
  readonly agentId: string;

  constructor(label: string, agentId: string) {
    super(
      `Agent ${agentId} has a block labelled '${label}' already. Detach that one first, or use another label.`,
    );
    this.label = label;
    this.agentId = agentId;
  }
}

/** A block was changed by somebody else since the caller read it. */
export class BlockConflictError extends Error {
  override readonly name = 'BlockConflictError';
  readonly blockId: string;
  /** The revision that the block is at. */
  readonly revision: number;
  readonly value: string;
  /** The revision that the caller read, and what turns its value into the current one; null where there is none such. */
  readonly base: number | null;
  readonly difference: string | null;

  constructor(
    block: { readonly id: string; readonly revision: number; readonly value: string },
    read?: { readonly revision: number; readonly value: string },
  ) {
    super(
      `Block ${block.id} was changed by somebody else and is at revision ${block.revision} now. Read it again, merge your change and write it with that revision.`,
    );
    this.blockId = block.id;
    this.revision = block.revision;
    this.value = block.value;
    this.base = read?.revision ?? null;
    this.difference = read === undefined ? null : unifiedDiff(read.value, block.value);
  }
}

/** A block has no revision of this number, or had none yet at this moment. */
export class RevisionNotFoundError extends Error {
  override readonly name = 'RevisionNotFoundError';
  readonly blockId: string;
  readonly missing: number | string;

  constructor(blockId: string, missing: number | string) {
    super(
      typeof missing === 'number'
        ? `Block ${blockId} has no revision ${missing}. List its revisions to see which there are.`
        : `Block ${blockId} did not exist yet at ${missing}. List its revisions to see when it was made.`,
    );
    this.blockId = blockId;
    this.missing = missing;
  }
}

/** A block has no change that could be taken back, or made again. */
export class NothingToUndoError extends Error {
  override readonly name = 'NothingToUndoError';
  readonly blockId: string;
  readonly wish: 'undo' | 'redo';

  constructor(blockId: string, wish: 'undo' | 'redo') {
    super(
      wish === 'undo'
        ? `Block ${blockId} has no change to undo: it is as it was made. List its revisions, and restore one of them.`
        : `Block ${blockId} has nothing to redo: no undo since its last change. List its revisions, and restore one of them.`,
    );
    this.blockId = blockId;
    this.wish = wish;
  }
}

/** A value is longer than its block allows. */
export class BlockLimitError extends Error {
  override readonly name = 'BlockLimitError';
  readonly label: string;
  /** Both in code points. */
  readonly limit: number;
  readonly size: number;

  constructor(block: { readonly label: string; readonly limit: number; readonly size: number }) {
    super(
      `Edit failed: Exceeds ${block.limit} character limit (requested ${block.size}). Shorten the value of block '${block.label}', or give it a higher limit.`,
    );
    this.label = block.label;
    this.limit = block.limit;
    this.size = block.size;
  }
}

export class GroupNotFoundError extends Error {
  override readonly name = 'GroupNotFoundError';
  readonly groupId: string;

  constructor(groupId: string) {
    super(`Group with ID ${groupId} not found. List the groups to see which there are.`);
    this.groupId = groupId;
  }
}

export class RefinementNotFoundError extends Error {
  override readonly name = 'RefinementNotFoundError';
  readonly refinementId: string;

  constructor(refinementId: string) {
    super(
      `Refinement with ID ${refinementId} not found. List the refinements of its group to see which there are.`,
    );
    this.refinementId = refinementId;
  }
}

export class RefinementRequestNotFoundError extends Error {
  override readonly name = 'RefinementRequestNotFoundError';
  readonly requestId: string;

  constructor(requestId: string) {
    super(`Refinement request with ID ${requestId} not found. It is gone with its group, or was never made.`);
    this.requestId = requestId;
  }
}

/** Only a refinement that waits for approval can be approved or rejected. */
export class RefinementStateError extends Error {
  override readonly name = 'RefinementStateError';
  readonly refinementId: string;
  readonly state: string;

  constructor(refinementId: string, state: string) {
    super(
      `Refinement ${refinementId} is ${state} and does not wait for approval. There is nothing to decide.`,
    );
    this.refinementId = refinementId;
    this.state = state;
  }
}

/** Edits that wait for approval meet others of the same lines, made since, or a block that refuses them. */
export class RefinementConflictError extends Error {
  override readonly name = 'RefinementConflictError';
  readonly refinementId: string;
  readonly conflicts: readonly RefinementConflict[];

  constructor(refinementId: string, conflicts: readonly RefinementConflict[]) {
    const problems = conflicts.map(({ label, why }) => `${label}: ${why}`).join(' ');
    super(
      `Refinement ${refinementId} can't be merged. ${problems} Send \`values\` with the text that each of these blocks, by its id, is to have; or reject the refinement.`,
    );
    this.refinementId = refinementId;
    this.conflicts = conflicts;
  }
}

interface RefinementConflict {
  readonly blockId: string;
  readonly label: string;
  readonly current: string;
  readonly yours: string;
  readonly why: string;
}

/** An agent's memory is refined by one group alone. */
export class SleepTimeTakenError extends Error {
  override readonly name = 'SleepTimeTakenError';
  readonly agentId: string;

  constructor(agentId: string) {
    super(
      `Agent ${agentId} has a sleep-time group already. Change that one: list the groups with its manager_agent_id.`,
    );
    this.agentId = agentId;
  }
}

/** A group in which no agent refines another's memory. */
export class NoPartnerError extends Error {
  override readonly name = 'NoPartnerError';
  readonly groupId: string;

  constructor(groupId: string) {
    super(
      `Group ${groupId} has no partner that could refine memory: only groups of type sleeptime have one.`,
    );
    this.groupId = groupId;
  }
}

export class ScheduleNotFoundError extends Error {
  override readonly name = 'ScheduleNotFoundError';
  readonly scheduleId: string;

  constructor(scheduleId: string) {
    super(`Schedule with ID ${scheduleId} not found. List the schedules to see which there are.`);
    this.scheduleId = scheduleId;
  }
}
