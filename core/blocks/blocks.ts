/** A labelled, limited piece of text in the context window; may be shared by many agents. */
export interface Block {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** In code points. */
  readonly limit: number;
  readonly description: string | null;
  readonly readOnly: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  /** Number of the newest revision; 1 after creation. */
  readonly revision: number;
  readonly extras: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A change of a block's value, applied to the value as it is at that moment, never to a copy. */
export type BlockOperation =
  /** `content` on a new line after the value (no leading newline where the value is empty). */
  | { readonly kind: 'append'; readonly content: string }
  /** `all`: every occurrence (`core_memory_replace`); else exactly one must exist (`memory_replace`). */
  | { readonly kind: 'replace'; readonly old: string; readonly new: string; readonly all: boolean }
  /** After line `line`: 0 is the top, -1 the end. */
  | { readonly kind: 'insert'; readonly content: string; readonly line: number }
  /** A simplified unified diff, whose hunks find their places by the lines that they quote. */
  | { readonly kind: 'patch'; readonly patch: string }
  /** A whole new value, written by somebody who read revision `base`. */
  | { readonly kind: 'rewrite'; readonly value: string; readonly base: number }
  /** A whole new value, whatever was there. */
  | { readonly kind: 'set'; readonly value: string };

/** A value that a block had before, brought back: `to` is the revision that wrote it. */
export type Restoration =
  /** The change that the block shows is taken back, as in an editor. */
  | { readonly kind: 'undo'; readonly to: number }
  /** The change that the last undo took back is made again. */
  | { readonly kind: 'redo'; readonly to: number }
  /** Any earlier value; a change like every other, which can be undone. */
  | { readonly kind: 'restore'; readonly to: number };

/** How a revision came about. */
export type RevisionOperation = BlockOperation | Restoration | { readonly kind: 'create' };

/** Who changed a block. */
export type Actor = 'agent' | 'user' | 'sleep_time' | 'tool' | 'runtime';
