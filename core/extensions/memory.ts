import type { MemoryTool } from './tools.js';

/** A labelled part of an agent's core memory: a block that is made with the agent. */
export interface Section {
  readonly label: string;
  readonly value: string;
  /** In code points. */
  readonly limit: number;
  /** What it is for, as the agent reads it; null: what is known of its label. */
  readonly description: string | null;
  /** The agent can't change it. */
  readonly readOnly: boolean;
}

/** A section as a memory class gives it: what is left out has its default. */
export interface NewSection extends Partial<Omit<Section, 'label'>> {
  readonly label: string;
}

/** Code points of a section whose limit is not given. */
const sectionLimit = 2_000;

/**
 * The core memory that an agent is made with: labelled sections, and the tools that edit them. Extend it to have
 * sections, limits and tools of your own. An instance is what a new agent's memory holds; from then on it is in the
 * agent's blocks.
 */
export class BaseMemory {
  /** Its editing tools: own ones, and runtime's by name. A class that extends another lists all that it has. */
  static readonly tools: readonly (string | MemoryTool)[] = [];

  readonly #sections: Section[] = [];

  /** Adds a section behind the others. Throws TypeError where its label is taken. */
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

  /** In the order in which the agent's prompt shows them. */
  get sections(): readonly Section[] {
    return this.#sections;
  }

  /** The tools of its class. */
  get tools(): readonly (string | MemoryTool)[] {
    return (this.constructor as typeof BaseMemory).tools;
  }
}

/** What a chat is begun with. */
export interface Chat {
  readonly human: string;
  readonly persona: string;
  /** Code points of each of the two. Default 2,000. */
  readonly limit?: number;
}

/** Memory of a chat between a person and the agent: what it knows of them, and who it is. */
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
