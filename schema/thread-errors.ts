import { MissingError, MistakeError } from './caller-errors.js';

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
    const which = unknown.length === 0 ? 'No tool call' : `No tool call ${unknown.join(', ')}`;
    const instead =
      waiting.length === 0 ? 'Send a message instead.' : `Those that wait are: ${waiting.join(', ')}.`;
    super(`${which} waits for an approval in ${threadId}. ${instead}`);
    this.threadId = threadId;
    this.unknown = unknown;
    this.waiting = waiting;
  }
}
