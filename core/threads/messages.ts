import type { ApprovalDecision } from '../turns/approvals.js';
import type { ContentPart, ModelToolCall } from '../turns/model.js';

/** What a message says, by who says it. The transcript of a thread is these in order of position. */
export type MessageBody =
  | { readonly kind: 'user'; readonly content: readonly ContentPart[]; readonly name?: string }
  /** An alert that a program or another agent put into the conversation. */
  | { readonly kind: 'system'; readonly content: readonly ContentPart[]; readonly name?: string }
  /** A model's answer: its thoughts, what it said, what it asked for. */
  | {
      readonly kind: 'assistant';
      readonly text: string;
      /** The text is what a MemGPT agent said, which has no tool to speak with; else it is a thought of it. */
      readonly spoken?: true;
      readonly reasoning: string;
      /** True where the model produced its reasoning natively, false where it filled the `thinking` argument. */
      readonly nativeReasoning: boolean;
      /** Arguments as the model wrote them, without the injected `thinking`. */
      readonly toolCalls: readonly ModelToolCall[];
      /** Ids of the calls that waited for a person or the client. */
      readonly awaited?: readonly string[];
    }
  | ToolResultBody
  /** What somebody decided about calls that waited. The model reads their results instead. */
  | { readonly kind: 'approval'; readonly decisions: readonly ApprovalDecision[] }
  /** The runtime handed control back to the agent, and says why. */
  | { readonly kind: 'heartbeat'; readonly reason: string }
  /** Memory changed outside this thread within a context epoch: what the prefix doesn't say yet. */
  | { readonly kind: 'notice'; readonly text: string };

/** The outcome of one tool call, as the model reads it. */
export interface ToolResultBody {
  readonly kind: 'tool';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly status: 'success' | 'error';
  /** What the tool returned, or, written for the model, what went wrong and what to do. */
  readonly content: string;
  /** Images beside it: http(s) addresses or data URLs. */
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
  /** Place in the thread's transcript; null while the message waits for its turn. */
  readonly position: number | null;
  readonly createdAt: Date;
  /** The sender's own id of the message, where it gave one. */
  readonly otid: string | null;
  readonly senderId: string | null;
  readonly body: MessageBody;
}

/** The words of a message: what recall search looks through, and what sizes are estimated from. */
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

/** A result in words, with a mark for each image. */
export function resultText({ content, images = [] }: Pick<ToolResultBody, 'content' | 'images'>): string {
  return [content, ...images.map(() => '[image]')].filter((part) => part !== '').join('\n');
}

function partsText(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
}
