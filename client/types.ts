import type { ApprovalAnswer } from '../core/turns/approvals.js';
import type { LoggedEvent } from '../core/turns/events.js';
import type { Message } from '../core/threads/messages.js';
import type { ContentPart } from '../core/models/model.js';
import type { Talk } from '../schema/groups/talks.js';
import type { TalkTurn } from '../schema/groups/talk-turns.js';
import type { Turn, TurnOptions } from '../schema/turns/records.js';

/** A message to an agent. */
export interface OutgoingMessage {
  readonly role: 'user' | 'system' | 'assistant';
  readonly content: string | readonly ContentPart[];
  readonly name?: string;
  /** The sender's own id of the message. */
  readonly otid?: string;
  readonly senderId?: string;
}

/** What a message does while its thread runs a turn: waits, enters that turn, or ends it. */
export type WhenBusy = 'queue' | 'steer' | 'interrupt';

/** What is sent, and how the turn for it runs. */
export interface SendRequest {
  /** The thread; an agent's id stands for its default thread. */
  readonly threadId: string;
  readonly messages: readonly OutgoingMessage[];
  /** Decisions about calls that wait in the thread; the turn carries them out first. */
  readonly approvals?: readonly ApprovalAnswer[];
  readonly options?: TurnOptions;
  /** The sender's idempotency key: a second send with it returns the first turn. */
  readonly requestKey?: string;
  /** Fingerprint of the request, kept so that a blind retry can find this turn. */
  readonly requestHash?: string;
  /**
   * Joins a turn of this thread with the same `requestHash` that began within this many ms, instead of beginning another.
   * For a retry: how long ago its first try may have been sent.
   */
  readonly joinWithinMs?: number;
  /**
   * `queue`, the default: a turn of its own, after those that wait. `steer`: enters the context of the running turn before its
   * next model call or, where it makes none, the next turn. `interrupt`: ends the running turn, as `cancel` does, and is queued.
   * Where no turn runs, all get one of their own.
   */
  readonly whenBusy?: WhenBusy;
  /** Throws PendingApprovalError, and stores nothing, where calls wait for an approval; else the messages are queued. */
  readonly refusesApprovals?: boolean;
}

/** A message to a group. */
export type TalkRequest = Pick<
  SendRequest,
  'messages' | 'options' | 'requestKey' | 'requestHash' | 'joinWithinMs'
> & {
  readonly groupId: string;
};

/** Starts and follows talks of groups. Every method may be called from any process, even while no worker runs. */
export interface Talks {
  /** Stores the messages and wakes the group. Once it returns, they can't be lost. Throws GroupNotFoundError and EmptyGroupError. */
  send(request: TalkRequest): Promise<{ readonly talk: Talk; readonly repeated: boolean }>;
  /** The talk's turns in order, each as soon as it starts, until the talk is over or the signal is aborted. */
  turns(talkId: string, options?: { signal?: AbortSignal }): AsyncIterable<TalkTurn>;
  /** Waits until the talk is over. Throws TalkNotFoundError where its group is deleted meanwhile. */
  result(talkId: string, options?: { signal?: AbortSignal }): Promise<Talk>;
  /** Ends the group's talks and their current turn at once. What was said stays. */
  cancel(groupId: string): Promise<void>;
}

/** What became of a send. */
export interface SentTurn {
  readonly turn: Turn;
  /** True where the turn existed already: a repeated key, or a joined retry. */
  readonly repeated: boolean;
}

/** From where a turn is followed, and for how long. */
export interface WatchOptions {
  /** Events after this sequence number; 0 for all. */
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/** Calls that wait for an approval: of an agent, in all its threads or one, of all turns or some. */
export interface WaitingCalls {
  readonly agentId: string;
  readonly threadId?: string | undefined;
  readonly turnIds?: readonly string[] | null | undefined;
}

/** Starts and follows turns. Every method may be called from any process, even while no worker runs. */
export interface Turns {
  /** Stores the messages and wakes the agent. Once it returns, the message can't be lost. Throws ThreadNotFoundError and ApprovalMismatchError. */
  send(request: SendRequest): Promise<SentTurn>;
  /** The turn's events in order, until it ends or the signal is aborted. */
  watch(turnId: string, options?: WatchOptions): AsyncIterable<LoggedEvent>;
  /** Messages by their ids, in the order of the ids: what `message` events name. Unknown ones are left out. */
  messages(ids: readonly string[]): Promise<readonly Message[]>;
  /** Waits until the turn has ended. Throws TurnNotFoundError. */
  result(turnId: string, options?: { signal?: AbortSignal }): Promise<Turn>;
  /** Ends a turn at once. One that waits or runs becomes `cancelled`; one that has ended stays as it is. */
  cancel(turnId: string): Promise<Turn>;
  /** Gives up calls that wait for an approval; the queue behind them continues. Returns the turns that made the calls. */
  dropApprovals(of: WaitingCalls): Promise<readonly string[]>;
}
