import type { UiChunk } from '../ai-sdk/ui-chunks-wire.js';

/** An event of AG-UI: https://docs.ag-ui.com/concepts/events. */
export type AgUiEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The run as the client names it. */
export interface AgUiRun {
  readonly threadId: string;
  readonly runId: string;
}

/** What answers an interrupt: the form of a resume entry's payload. */
const decisionSchema = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approved'],
};

/** Writes a turn's UI chunks as events of AG-UI. Each chunk must be given once, in order. */
export function createAgUiWriter(run: AgUiRun): { write(chunk: UiChunk): readonly AgUiEvent[] } {
  let step = 0;
  const ended = new Set<string>();
  const asked: string[] = [];
  const endCall = (toolCallId: string): AgUiEvent[] => {
    if (ended.has(toolCallId)) return [];
    ended.add(toolCallId);
    return [{ type: 'TOOL_CALL_END', toolCallId }];
  };
  return {
    write(chunk) {
      switch (chunk.type) {
        case 'start':
          return [{ type: 'RUN_STARTED', ...run, metadata: chunk.messageMetadata }];
        case 'start-step':
          step += 1;
          return [{ type: 'STEP_STARTED', stepName: `step ${step}` }];
        case 'finish-step':
          return [{ type: 'STEP_FINISHED', stepName: `step ${step}` }];
        case 'tool-input-start':
          return [{ type: 'TOOL_CALL_START', toolCallId: chunk.toolCallId, toolCallName: chunk.toolName }];
        case 'tool-input-delta':
          return [{ type: 'TOOL_CALL_ARGS', toolCallId: chunk.toolCallId, delta: chunk.inputTextDelta }];
        case 'tool-input-available':
        case 'tool-input-error':
          return endCall(chunk.toolCallId);
        case 'tool-approval-request':
          asked.push(chunk.toolCallId);
          return [];
        case 'abort':
          return [{ type: 'RUN_FINISHED', ...run, outcome: { type: 'cancelled' } }];
        case 'finish':
          return [{ type: 'RUN_FINISHED', ...run, result: chunk.messageMetadata, outcome: toOutcome(asked) }];
        default:
          return toEvents(chunk);
      }
    },
  };
}

function toOutcome(asked: readonly string[]) {
  if (asked.length === 0) return { type: 'success' };
  const interrupts = asked.map((id) => ({
    ...{ id, toolCallId: id, reason: 'approval', responseSchema: decisionSchema },
    message: 'The agent waits until you approve or deny this call.',
  }));
  return { type: 'interrupt', interrupts };
}

type Simple = Extract<
  UiChunk,
  { type: `${'text' | 'reasoning'}-${string}` | `tool-output-${string}` | 'data-abandoned' | 'error' }
>;

function toEvents(chunk: Simple): AgUiEvent[] {
  switch (chunk.type) {
    case 'text-start':
      return [{ type: 'TEXT_MESSAGE_START', messageId: chunk.id, role: 'assistant' }];
    case 'text-delta':
      return chunk.delta === ''
        ? []
        : [{ type: 'TEXT_MESSAGE_CONTENT', messageId: chunk.id, delta: chunk.delta }];
    case 'text-end':
      return [{ type: 'TEXT_MESSAGE_END', messageId: chunk.id }];
    case 'reasoning-start':
      return [
        { type: 'REASONING_START', messageId: chunk.id },
        { type: 'REASONING_MESSAGE_START', messageId: chunk.id, role: 'reasoning' },
      ];
    case 'reasoning-delta':
      return chunk.delta === ''
        ? []
        : [{ type: 'REASONING_MESSAGE_CONTENT', messageId: chunk.id, delta: chunk.delta }];
    case 'reasoning-end':
      return [
        { type: 'REASONING_MESSAGE_END', messageId: chunk.id },
        { type: 'REASONING_END', messageId: chunk.id },
      ];
    case 'tool-output-available':
      return [toToolResult(chunk.toolCallId, chunk.output)];
    case 'tool-output-error':
      return [toToolResult(chunk.toolCallId, chunk.errorText)];
    case 'tool-output-denied':
      return [toToolResult(chunk.toolCallId, 'The call was denied.')];
    case 'data-abandoned':
      return [{ type: 'CUSTOM', name: 'abandoned', value: chunk.data }];
    case 'error':
      return [{ type: 'RUN_ERROR', message: chunk.errorText }];
  }
}

function toToolResult(toolCallId: string, output: unknown): AgUiEvent {
  const content = typeof output === 'string' ? output : JSON.stringify(output);
  return { type: 'TOOL_CALL_RESULT', messageId: `${toolCallId}-result`, toolCallId, content, role: 'tool' };
}
