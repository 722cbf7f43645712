import type { Model } from '../../activities/deps.js';
import { noUsage } from '../../core/usage.js';
import { WorldFailure } from '../../core/failures.js';
import type { ModelAnswer, ModelRequest, ModelToolCall } from '../../core/model.js';

/** What the script answers: a whole answer, a failure, or a function of the request. */
export type ScriptLine =
  Partial<ModelAnswer> | WorldFailure | ((request: ModelRequest) => Promise<Partial<ModelAnswer>>);

export interface ScriptedModels {
  resolve(handle: string): Model;
  /** The requests it was asked, in order. */
  readonly requests: readonly ModelRequest[];
  /** Adds lines at the end. */
  script(...lines: readonly ScriptLine[]): void;
  /** Drops the lines that were not asked for: where a script had to offer more than a test may use. */
  drop(): void;
}

/** Models that answer by a script, and fail loudly when asked for more. */
export function createScriptedModels(
  lines: readonly ScriptLine[] = [],
  options: { contextWindow?: number } = {},
): ScriptedModels {
  const requests: ModelRequest[] = [];
  const script = [...lines];
  const total = (): number => script.length;
  return {
    requests,
    script(...more) {
      script.push(...more);
    },
    drop() {
      script.length = requests.length;
    },
    resolve: (handle) => ({
      description: {
        handle,
        provider: 'scripted',
        model: handle,
        contextWindow: options.contextWindow ?? 100_000,
      },
      async complete(request, { onDelta, signal }) {
        const index = requests.push(request) - 1;
        const line = script[index];
        if (line === undefined) {
          throw new WorldFailure(
            'Model.BadRequest',
            `The script has ${total()} lines, and was asked for more.`,
            {
              retryable: false,
            },
          );
        }
        if (line instanceof WorldFailure) throw line;
        const partial = typeof line === 'function' ? await untilAborted(line(request), signal) : line;
        const answer = toAnswer(partial);
        if (answer.reasoning !== '') onDelta?.({ kind: 'reasoning', text: answer.reasoning });
        for (const piece of answer.text.match(/.{1,8}/gs) ?? []) onDelta?.({ kind: 'text', text: piece });
        answer.toolCalls.forEach((call, position) => {
          onDelta?.({ kind: 'tool_call', index: position, id: call.id, name: call.name });
          onDelta?.({ kind: 'tool_call', index: position, arguments: call.arguments });
        });
        return answer;
      },
    }),
  };
}

/** The answer, unless the call is given up before. */
function untilAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
    answer.then(resolve, reject);
  });
}

function toAnswer(partial: Partial<ModelAnswer>): ModelAnswer {
  const toolCalls = partial.toolCalls ?? [];
  return {
    text: '',
    reasoning: '',
    finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
    usage: noUsage,
    ...partial,
    toolCalls,
  };
}

let calls = 0;

/** An answer that calls one tool. */
export function callOf(name: string, args: Record<string, unknown> | string): { toolCalls: ModelToolCall[] } {
  calls += 1;
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return { toolCalls: [{ id: `call_${calls}`, name, arguments: text }] };
}

/** An answer that says something to the user, as MemGPT agents do. */
export function saying(message: string): { toolCalls: ModelToolCall[] } {
  return callOf('send_message', { thinking: 'I answer.', message });
}
