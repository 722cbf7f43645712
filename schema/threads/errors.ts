import { ClashError, MissingError, MistakeError, NotFoundError } from '../db/errors.js';

/** The thread does not exist, or its agent was deleted. */
export class ThreadNotFoundError extends NotFoundError {
  constructor(threadId: string) {
    super('Thread', threadId, "Use an agent's ID for its default thread.");
  }
}

/** The conversation does not exist, or was deleted. */
export class ConversationNotFoundError extends NotFoundError {
  constructor(conversationId: string) {
    super('Conversation', conversationId, "List the agent's conversations to see which there are.");
  }
}

/** The message is not where the caller expects it. */
export class MessageNotFoundError extends MissingError {
  readonly messageId: string;

  constructor(messageId: string, where: string) {
    super(`Message with ID ${messageId} not found ${where}. List the messages to see which there are.`);
    this.messageId = messageId;
  }
}

/** A message that must not wait was sent while calls wait for an approval. It was rejected completely. */
export class PendingApprovalError extends ClashError {
  /** The answer with the calls. */
  readonly messageId: string;
  readonly toolCallIds: readonly string[];

  constructor(pending: { readonly messageId: string; readonly toolCallIds: readonly string[] }) {
    // Letta's clients look for this text.
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

/** An approval names calls that never waited, or no call waits. */
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
    // Letta's clients look for the beginnings of these texts.
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
