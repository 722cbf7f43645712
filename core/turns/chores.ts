/** What a turn does to its thread instead of thinking: it is asked for from outside, and waits its turn in the queue. */
export type Chore =
  /** Summarises what is in context, as far as an eviction would. */
  | {
      readonly kind: 'compact';
      /** How, in place of the agent's own settings; `toCompaction` reads it. */
      readonly settings?: Readonly<Record<string, unknown>>;
    }
  /** Forgets all messages of the thread. */
  | { readonly kind: 'reset' }
  /** Takes in what was said to it, and answers nothing. */
  | { readonly kind: 'hear' }
  /** Forgets what talks of a group brought into the thread. */
  | { readonly kind: 'forget'; readonly groupId: string }
  /** Changes what one message says. */
  | { readonly kind: 'edit'; readonly messageId: string; readonly edit: MessageEdit };

export type ChoreKind = Chore['kind'];

/** Which of a message's words are replaced. */
export interface MessageEdit {
  readonly part: 'user' | 'system' | 'assistant' | 'reasoning';
  readonly text: string;
}
