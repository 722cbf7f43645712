import { ClashError, MissingError, MistakeError, NotFoundError } from '../db/errors.js';

/** No such thread, or that of a deleted agent. */
export class ThreadNotFoundError extends NotFoundError {
  constructor(threadId: string) {
    super('Thread', threadId, "Use an agent's ID for its default thread.");
  }
}

/** No such conversation, or a deleted one. */
export class ConversationNotFoundError extends NotFoundError {
  constructor(conversationId: string) {
    super('Conversation', conversationId, "List the agent's conversations to see which there are.");
  }
}

/** A message that something is to be done with is not where the caller thinks. */
export class MessageNotFoundError extends MissingError {
  readonly messageId: string;

  constructor(messageId: string, where: string) {
    super(`Message with ID ${messageId} not found ${where}. List the messages to see which there are.`);
    this.messageId = messageId;
  }
}

/** A message that is not to wait meets calls that wait for an approval. Nothing of it was accepted. */
export class PendingApprovalError extends ClashError {
  /** The answer with the calls. */
  readonly messageId: string;
  readonly toolCallIds: readonly string[];

  constructor(pending: { readonly messageId: string; readonly toolCallIds: readonly string[] }) {
    // Programs for Letta look for these words.
    super(
      'Cannot send a new message: The agent is waiting for approval on a tool call. Please approve or deny the pending request before continuing.',
    );
    this.messageId = pending.messageId;
    this.toolCallIds = pending.toolCallIds;
  }
}

function listed(ids: readonly string[]): string {
  return `[${ids.join(', ')}]`;
}

/** An approval names calls that never waited for one, or nothing waits at all. */
export class ApprovalMismatchError extends MistakeError {
  readonly threadId: string;
  readonly unknown: readonly string[];
  readonly waiting: readonly string[];

  constructor(given: {
    readonly threadId: string;
    readonly unknown: readonly string[];
    readonly waiting: readonly string[];
  }) {
    const { threadId, unknown, waiting } = given;
    // Programs for Letta look for how these begin.
    super(
      waiting.length === 0
        ? `Cannot process approval response: No tool call is currently awaiting approval in ${threadId}. Send a message instead.`
        : `Invalid tool call IDs. Expected '${listed(waiting)}', but received '${listed(unknown)}'.`,
    );
    this.threadId = threadId;
    this.unknown = unknown;
    this.waiting = waiting;
  }
}
