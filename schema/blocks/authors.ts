import type { Actor } from '../../core/blocks/blocks.js';

/** Who creates or changes a block, and in which step. */
export interface Author {
  readonly actor: Actor;
  readonly agentId?: string | null | undefined;
  readonly turnId?: string | null | undefined;
  readonly stepId?: string | null | undefined;
  readonly toolCallId?: string | null | undefined;
  /** A second change with the same effect id returns the first one's outcome: an effect changes a block once. */
  readonly effectId?: string | null | undefined;
}

/** The columns of a revision for its author. */
export function authorColumns(author: Author) {
  return {
    actor: author.actor,
    agent_id: author.agentId ?? null,
    turn_id: author.turnId ?? null,
    step_id: author.stepId ?? null,
    tool_call_id: author.toolCallId ?? null,
    effect_id: author.effectId ?? null,
  };
}
