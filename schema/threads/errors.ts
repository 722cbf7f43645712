import { ClashError, MissingError, MistakeError } from '../db/caller-errors.js';

/** No such thread, or that of a deleted agent. */
export class ThreadNotFoundError extends MissingError {
  override readonly name = 'ThreadNotFoundError';
  readonly threadId: string;

  constructor(threadId: string) {
    super(`Thread with ID ${threadId} not found. Use an agent's ID for its default thread.`);
    this.threadId = threadId;
  }
}

/** No such conversation, or a deleted one. */
export class ConversationNotFoundError extends MissingError {
  override readonly name = 'ConversationNotFoundError';
  readonly conversationId: string;

  constructor(conversationId: string) {
    super(
      `Conversation with ID ${conversationId} not found. List the agent's conversations to see which there are.`,
    );
    this.conversationId = conversationId;
  }
}

/** A message that something is to be done with is not where the caller thinks. */
export class MessageNotFoundError extends MissingError {
  override readonly name = 'MessageNotFoundError';
  readonly messageId: string;

  constructor(messageId: string, where: string) {
    super(`Message with ID ${messageId} not found ${where}. List the messages to see which there are.`);
    this.messageId = messageId;
  }
}

/** A message that is not to wait meets calls that wait for an approval. Nothing of it was accepted. */
export class PendingApprovalError extends ClashError {
  override readonly name = 'PendingApprovalError';
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
