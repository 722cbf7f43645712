/** What the command line reads of the server's answers; they hold more. */
export interface WireAgent {
  readonly id: string;
  readonly name: string;
  readonly model: string | null;
  readonly embedding: string | null;
  readonly agent_type: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly created_at: string;
  readonly blocks: readonly WireBlock[];
  readonly tools: readonly { readonly name: string }[];
  readonly managed_group?: { readonly id: string; readonly agent_ids: readonly string[] } | null;
}

export interface WireBlock {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly limit: number;
  readonly revision: number;
  readonly read_only: boolean;
}

/** Who changed a block, and how. */
export interface WireRevision {
  readonly revision: number;
  readonly operation: { readonly kind: string };
  readonly actor: string;
  readonly agent_id: string | null;
  readonly run_id: string | null;
  readonly step_id: string | null;
  readonly created_at: string;
}

export interface WireRun {
  readonly id: string;
  readonly agent_id: string;
  readonly status: string;
  readonly stop_reason: string | null;
  readonly created_at: string;
  readonly completed_at: string | null;
  /** US dollars; null: not known. */
  readonly cost: number | null;
}

export interface WireStep {
  readonly id: string;
  readonly status: string;
  readonly model_handle: string | null;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_input_tokens: number | null;
  /** US dollars; null: not known. */
  readonly cost: number | null;
  readonly stop_reason: string | null;
}
