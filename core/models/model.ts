import type { Usage } from './usage.js';

/** A tool as a model sees it. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchemaObject;
}

/** The object schema of a tool's arguments. */
export interface JsonSchemaObject {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

/** Any JSON Schema below the top. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One part of a user's message. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  /** `url` is an http(s) address or a data URL. */
  | { readonly type: 'image'; readonly url: string };

/** A tool call as a model made it. `arguments` is the model's own text, ideally JSON. */
export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A message in the common form of chat completions. */
export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly ContentPart[] }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ModelToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

/** How the model may use its tools in one call. */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly name: string };

/** An agent's settings for its model. Absent: the provider's default. */
export interface ModelSettings {
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly reasoningEffort?: 'minimal' | 'low' | 'medium' | 'high';
  readonly parallelToolCalls?: boolean;
  /** Passed to the provider as `response_format`. */
  readonly responseFormat?: Readonly<Record<string, unknown>>;
}

/** A model call. The first message is the system prompt: the context epoch's prefix. */
export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSchema[];
  readonly toolChoice: ToolChoice;
  readonly settings: ModelSettings;
}

/** Why the model stopped. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** A model's whole answer. Missing `text` and `reasoning` are empty strings. */
export interface ModelAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
}

/** A fragment of an unfinished answer. Fragments of one tool call share `index`; its id and name come first. */
export type ModelDelta =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | {
      readonly kind: 'tool_call';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments?: string;
    };

/** A model that the runtime can list. */
export interface ModelDescription {
  /** `provider/model`, by which agents name it. */
  readonly handle: string;
  readonly provider: string;
  readonly model: string;
  /** Size of the context window in tokens. */
  readonly contextWindow: number;
  readonly endpoint?: string;
}

/** An embedding model that the runtime can list. */
export interface EmbeddingDescription {
  readonly handle: string;
  readonly provider: string;
  readonly model: string;
  /** Length of its vectors. */
  readonly dimensions: number;
  readonly endpoint?: string;
}
