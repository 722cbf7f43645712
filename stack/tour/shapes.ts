/** What the tour reads of the API's answers; each has more fields. */
export interface ShownAgent {
  readonly id: string;
  readonly agent_type: string;
  readonly blocks: readonly ShownBlock[];
}

export interface ShownBlock {
  readonly label: string;
  readonly value: string;
  readonly limit: number;
  /** 1 when it was made, and one more with every change. */
  readonly revision: number;
}

export interface ShownPassage {
  readonly id: string;
  readonly text: string;
}

export interface ShownRun {
  readonly id: string;
  readonly status: 'created' | 'running' | 'completed' | 'failed' | 'cancelled';
  readonly stop_reason: string | null;
}

export interface ShownStep {
  readonly id: string;
  readonly status: string;
}

interface MessageHead {
  readonly id: string;
  /** One for each part of a message: an answer's thought and its call share an id. */
  readonly otid: string;
  readonly step_id: string;
}

export interface ShownCall {
  readonly name: string;
  readonly arguments: string;
  readonly tool_call_id: string;
}

/** What an agent thought, did and said. */
export type ShownMessage =
  | (MessageHead & { readonly message_type: 'reasoning_message'; readonly reasoning: string })
  | (MessageHead & { readonly message_type: 'assistant_message'; readonly content: string })
  | (MessageHead & { readonly message_type: 'tool_call_message'; readonly tool_calls: readonly ShownCall[] })
  | (MessageHead & {
      readonly message_type: 'tool_return_message';
      readonly tool_return: string;
      readonly status: 'success' | 'error';
      readonly tool_call_id: string;
    });

/** One event of a run's stream. */
export type StreamEvent = { readonly run_id: string; readonly seq_id: number } & (
  | ShownMessage
  | { readonly message_type: 'stop_reason'; readonly stop_reason: string }
  | { readonly message_type: 'usage_statistics'; readonly total_tokens: number; readonly step_count: number }
  | { readonly message_type: 'error_message'; readonly error_type: string; readonly message: string }
);
