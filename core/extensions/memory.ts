import type { MemoryTool } from './tools.js';

/** A labelled part of an agent's core memory. It becomes a block when the agent is created. */
export interface Section {
  readonly label: string;
  readonly value: string;
  /** In code points. */
  readonly limit: number;
  /** What the section is for, as the agent reads it; null: the default of its label. */
  readonly description: string | null;
  /** Whether the agent can't change it. */
  readonly readOnly: boolean;
}

/** A section as a memory class declares it. Missing fields have defaults. */
export interface NewSection extends Partial<Omit<Section, 'label'>> {
  readonly label: string;
}

/** The default limit of a section, in code points. */
const sectionLimit = 2_000;

/**
 * The core memory of a new agent: labelled sections, and the tools that edit them. Extend it to declare sections,
 * limits and tools. An instance holds the initial memory; after creation, the agent's blocks do.
 */
export class BaseMemory {
  /** Its editing tools: its own, and the runtime's by name. A subclass lists all of its tools. */
  static readonly tools: readonly (string | MemoryTool)[] = [];

  readonly #sections: Section[] = [];

  /** Adds a section at the end. Throws TypeError where its label is taken. */
  protected addSection({
    label,
    value = '',
    limit = sectionLimit,
    description = null,
    readOnly = false,
  }: NewSection): void {
    if (this.#sections.some((section) => section.label === label)) {
      throw new TypeError(`This memory has a section '${label}' already. Give the new one another label.`);
    }
    this.#sections.push({ label, value, limit, description, readOnly });
  }

  /** The sections in the order of the agent's prompt. */
  get sections(): readonly Section[] {
    return this.#sections;
  }

  /** The tools of its class. */
  get tools(): readonly (string | MemoryTool)[] {
    return (this.constructor as typeof BaseMemory).tools;
  }
}

/** What a chat memory starts with. */
export interface Chat {
  readonly human: string;
  readonly persona: string;
  /** Code points of each of the two. Default 2,000. */
  readonly limit?: number;
}

/** The memory of a chat: what the agent knows of the person, and who the agent is. */
export class ChatMemory extends BaseMemory {
  static override readonly tools: readonly (string | MemoryTool)[] = [
    'memory_insert',
    'memory_replace',
    'memory_rethink',
    'memory_finish_edits',
    'core_memory_append',
    'core_memory_replace',
  ];

  constructor({ human, persona, limit = sectionLimit }: Chat) {
    super();
    this.addSection({ label: 'persona', value: persona, limit });
    this.addSection({ label: 'human', value: human, limit });
  }
}
