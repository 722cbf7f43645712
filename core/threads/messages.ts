import type { ApprovalDecision } from '../turns/approvals.js';
import type { ContentPart, ModelToolCall } from '../models/model.js';

/** The content of a message, by who says it. A thread's transcript is its messages in order of position. */
export type MessageBody =
  | { readonly kind: 'user'; readonly content: readonly ContentPart[]; readonly name?: string }
  /** An alert that a program or another agent added to the conversation. */
  | { readonly kind: 'system'; readonly content: readonly ContentPart[]; readonly name?: string }
  /** A model's answer: its thoughts, its words, its calls. */
  | {
      readonly kind: 'assistant';
      readonly text: string;
      /**
       * Whether the text is spoken, by an agent of a MemGPT loop that has no tool to speak with; else the text is a
       * thought.
       */
      readonly spoken?: true;
      readonly reasoning: string;
      /** Whether the model reasoned natively; false: it filled in the `thinking` argument. */
      readonly nativeReasoning: boolean;
      /** Arguments as the model wrote them, without the injected `thinking`. */
      readonly toolCalls: readonly ModelToolCall[];
      /** Ids of the calls that waited for an approval or for the client. */
      readonly awaited?: readonly string[];
    }
  | ToolResultBody
  /** Decisions about calls that waited. The model reads the calls' results instead. */
  | { readonly kind: 'approval'; readonly decisions: readonly ApprovalDecision[] }
  /** The runtime returns control to the agent, and says why. */
  | { readonly kind: 'heartbeat'; readonly reason: string }
  /** A change of memory that the epoch's prefix does not show yet. */
  | { readonly kind: 'notice'; readonly text: string };

/** The outcome of one tool call, as the model reads it. */
export interface ToolResultBody {
  readonly kind: 'tool';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly status: 'success' | 'error';
  /** What the tool returned, or a message for the model that says what went wrong and what to do. */
  readonly content: string;
  /** Images in the result: http(s) addresses or data URLs. */
  readonly images?: readonly string[];
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
}

export type MessageKind = MessageBody['kind'];

/** One row of recall memory. */
export interface Message {
  readonly id: string;
  readonly agentId: string;
  readonly threadId: string;
  readonly turnId: string | null;
  readonly stepId: string | null;
  /** Place in the thread's transcript; null: the message waits for its turn. */
  readonly position: number | null;
  readonly createdAt: Date;
  /** The sender's own id of the message, if any. */
  readonly otid: string | null;
  readonly senderId: string | null;
  readonly body: MessageBody;
}

/** The text of a message, for recall search and estimates of size. */
export function messageText(body: MessageBody): string {
  switch (body.kind) {
    case 'user':
    case 'system':
      return partsText(body.content);
    case 'assistant':
      return [body.reasoning, body.text, ...body.toolCalls.map((call) => `${call.name} ${call.arguments}`)]
        .filter((part) => part !== '')
        .join('\n');
    case 'tool':
      return resultText(body);
    case 'heartbeat':
      return body.reason;
    case 'notice':
      return body.text;
    case 'approval':
      return '';
  }
}

/** A result's text, with a mark for each image. */
export function resultText({ content, images = [] }: Pick<ToolResultBody, 'content' | 'images'>): string {
  return [content, ...images.map(() => '[image]')].filter((part) => part !== '').join('\n');
}

function partsText(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
}
