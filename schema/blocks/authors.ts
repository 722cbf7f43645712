import type { Actor } from '../../core/blocks/blocks.js';

/** Who makes a block or changes it, and in the course of what. */
export interface Author {
  readonly actor: Actor;
  readonly agentId?: string | null | undefined;
  readonly turnId?: string | null | undefined;
  readonly stepId?: string | null | undefined;
  readonly toolCallId?: string | null | undefined;
  /** A second change with it is answered with the first one's outcome: one effect changes one block once. */
  readonly effectId?: string | null | undefined;
}

/** An author as the columns of a revision. */
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
