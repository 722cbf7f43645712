/** A labelled, limited piece of text in the context window. Several agents may share one. */
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

/** A change of a block's value. It applies to the current value, never to a copy that somebody read. */
export type BlockOperation =
  /** `content` on a new line after the value (no leading newline where the value is empty). */
  | { readonly kind: 'append'; readonly content: string }
  /** `all`: every occurrence (`core_memory_replace`); else exactly one must exist (`memory_replace`). */
  | { readonly kind: 'replace'; readonly old: string; readonly new: string; readonly all: boolean }
  /** After line `line`: 0 is the top, -1 the end. */
  | { readonly kind: 'insert'; readonly content: string; readonly line: number }
  /** A simplified unified diff. Its hunks are placed by the lines that they quote. */
  | { readonly kind: 'patch'; readonly patch: string }
  /** A whole new value from an author who read revision `base`. */
  | { readonly kind: 'rewrite'; readonly value: string; readonly base: number }
  /** A whole new value that replaces any other. */
  | { readonly kind: 'set'; readonly value: string };

/** Brings an earlier value back: `to` is the revision that wrote it. */
export type Restoration =
  /** Takes back the block's last change, as in an editor. */
  | { readonly kind: 'undo'; readonly to: number }
  /** Repeats the change that the last undo took back. */
  | { readonly kind: 'redo'; readonly to: number }
  /** Returns to any earlier value. It is a change like any other and can be undone. */
  | { readonly kind: 'restore'; readonly to: number };

/** What made a revision. */
export type RevisionOperation = BlockOperation | Restoration | { readonly kind: 'create' };

/** Who changed a block. */
export type Actor = 'agent' | 'user' | 'sleep_time' | 'tool' | 'runtime';
