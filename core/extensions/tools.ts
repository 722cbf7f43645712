import type { ToolSchema } from '../turns/model.js';

/** A change of a section's text, made to the text as it is: nobody's edit is written over. */
export type SectionOperation =
  /** `content` on a line of its own at the end. */
  | { readonly kind: 'append'; readonly content: string }
  /** The one occurrence of `old`, or with `all` every one. */
  | { readonly kind: 'replace'; readonly old: string; readonly new: string; readonly all?: boolean }
  /** After line `line`: 0 is the top, -1 the end. */
  | { readonly kind: 'insert'; readonly content: string; readonly line: number }
  /** A whole new text, made of the one that the tool was given. */
  | { readonly kind: 'rewrite'; readonly value: string };

/** One edit of a tool. */
export type SectionEdit = { readonly section: string } & SectionOperation;

/** What a tool of a memory does: all of its edits, or none where one of them is refused. */
export interface MemoryEdit {
  readonly edits: readonly SectionEdit[];
  /** What the agent is told beside how the sections read now. */
  readonly result?: string;
}

/** A call's arguments. They fit the tool's schema. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** A tool by which an agent edits its memory. */
export interface MemoryTool extends ToolSchema {
  readonly kind: 'memory';
  /** Labels of the sections that it reads and edits: no others. */
  readonly sections: readonly string[];
  /**
   * Says how the sections, given as they are by their labels, are to change. Nobody else changes them meanwhile. What it
   * throws the agent is told. It is stopped after two seconds, and may be asked again for the same call: it must do
   * nothing but compute.
   */
  edit(args: ToolArguments, sections: Readonly<Record<string, string>>): MemoryEdit | readonly SectionEdit[];
}

/** A tool by which an agent speaks in another way than plain text: what it says is its call. */
export interface MessagingTool extends ToolSchema {
  readonly kind: 'messaging';
  /** The argument that holds the words. */
  readonly argument: string;
}

export type ExtensionTool = MemoryTool | MessagingTool;

/** A tool that edits memory. */
export function memoryTool(tool: Omit<MemoryTool, 'kind'>): MemoryTool {
  return { kind: 'memory', ...tool };
}

/** A tool that speaks, such as `send_voice_message(text, mood)`. */
export function messagingTool(tool: Omit<MessagingTool, 'kind'>): MessagingTool {
  return { kind: 'messaging', ...tool };
}
