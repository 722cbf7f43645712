import type { ToolSchema } from '../models/model.js';

/** A change of a section's text. It applies to the current text, so it never overwrites another edit. */
export type SectionOperation =
  /** Adds `content` as a new line at the end. */
  | { readonly kind: 'append'; readonly content: string }
  /** Replaces the only occurrence of `old`, or with `all` every one. */
  | { readonly kind: 'replace'; readonly old: string; readonly new: string; readonly all?: boolean }
  /** After line `line`: 0 is the top, -1 the end. */
  | { readonly kind: 'insert'; readonly content: string; readonly line: number }
  /** A whole new text, computed from the one that the tool received. */
  | { readonly kind: 'rewrite'; readonly value: string };

/** One edit of a tool. */
export type SectionEdit = { readonly section: string } & SectionOperation;

/** The result of a memory tool. Either all of its edits apply or none. */
export interface MemoryEdit {
  readonly edits: readonly SectionEdit[];
  /** A text for the agent, in addition to the sections' new contents. */
  readonly result?: string;
}

/** A call's arguments, which fit the tool's schema. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** A tool by which an agent edits its memory. */
export interface MemoryTool extends ToolSchema {
  readonly kind: 'memory';
  /** Labels of the sections that it may read and edit. */
  readonly sections: readonly string[];
  /**
   * Returns the edits of the given sections, which are locked meanwhile. An error that it throws is shown to the
   * agent. It is stopped after two seconds and may run again for the same call, so it must only compute.
   */
  edit(args: ToolArguments, sections: Readonly<Record<string, string>>): MemoryEdit | readonly SectionEdit[];
}

/** A tool by which an agent speaks other than in plain text: the words are in the call. */
export interface MessagingTool extends ToolSchema {
  readonly kind: 'messaging';
  /** The argument that holds the words. */
  readonly argument: string;
}

/** Any tool of an extension. */
export type ExtensionTool = MemoryTool | MessagingTool;

/** A tool that edits memory. */
export function memoryTool(tool: Omit<MemoryTool, 'kind'>): MemoryTool {
  return { kind: 'memory', ...tool };
}

/** A tool that speaks, such as `send_voice_message(text, mood)`. */
export function messagingTool(tool: Omit<MessagingTool, 'kind'>): MessagingTool {
  return { kind: 'messaging', ...tool };
}
