/**
 * What modules of one's own for `PERDURE_EXTENSIONS` and `PERDURE_ARCHIVAL_STORE` are made of.
 *
 * @module perdure/extensions
 */

export type { KeptPassage, PassageStore, StoreQuery } from './archives/passage-store.js';
export { defineExtension, type Extension } from './extensions/extension.js';
export { BaseMemory, type Chat, ChatMemory, type NewSection, type Section } from './extensions/memory.js';
export {
  type MemoryEdit,
  type MemoryTool,
  memoryTool,
  type MessagingTool,
  messagingTool,
  type SectionEdit,
  type SectionOperation,
  type ToolArguments,
} from './extensions/tools.js';
