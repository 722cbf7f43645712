/**
 * A turn that changes its thread without calling the agent's model. A request creates it, and it queues like other
 * turns.
 */
export type Chore =
  /** Summarises the context, as an eviction does. */
  | {
      readonly kind: 'compact';
      /** Override the agent's settings; `toCompaction` reads them. */
      readonly settings?: Readonly<Record<string, unknown>>;
    }
  /** Removes all messages of the thread. */
  | { readonly kind: 'reset' }
  /** Adds messages without answering them. */
  | { readonly kind: 'hear' }
  /** Removes what a group's talks added to the thread. */
  | { readonly kind: 'forget'; readonly groupId: string }
  /** Changes the text of one message. */
  | { readonly kind: 'edit'; readonly messageId: string; readonly edit: MessageEdit };

export type ChoreKind = Chore['kind'];

/** Which text of a message to replace. */
export interface MessageEdit {
  readonly part: 'user' | 'system' | 'assistant' | 'reasoning';
  readonly text: string;
}
