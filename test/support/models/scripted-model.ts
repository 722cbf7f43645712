import type { Model } from '../../../activities/deps.js';
import { createModels } from '../../../adapters/models/models.js';
import { noUsage } from '../../../core/models/usage.js';
import { WorldFailure } from '../../../core/failures.js';
import type { ModelAnswer, ModelRequest, ModelToolCall } from '../../../core/models/model.js';
import { runCanary } from '../runtime/canary.js';

/** What the script answers: a whole answer, a failure, or a function of the request. */
export type ScriptLine =
  | Partial<ModelAnswer>
  | WorldFailure
  | ((request: ModelRequest) => Partial<ModelAnswer> | Promise<Partial<ModelAnswer>>);

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
        if (line instanceof WorldFailure) throw withDetail(line);
        const partial =
          typeof line === 'function' ? await untilAborted(answerOf(line, request), signal) : line;
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

/** Scripted models, and beside them `perdure/demo`. */
export function besideTheDemo(scripted: ScriptedModels): ScriptedModels {
  const demo = createModels({});
  return {
    ...scripted,
    resolve: (handle) => (handle.startsWith('perdure/') ? demo : scripted).resolve(handle),
  };
}

async function answerOf(
  line: Extract<ScriptLine, (request: ModelRequest) => unknown>,
  request: ModelRequest,
): Promise<Partial<ModelAnswer>> {
  try {
    return await line(request);
  } catch (error) {
    throw error instanceof WorldFailure ? withDetail(error) : error;
  }
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
    ...(partial.text === undefined || partial.text === '' ? {} : { text: `${partial.text} ${runCanary()}` }),
  };
}

/** What a provider says of a failure may repeat contents: here it does. What it refused for good is told as scripted. */
function withDetail(failure: WorldFailure): WorldFailure {
  const { type, message, retryable, retryAfterMs, status } = failure;
  const cause = new Error(runCanary(), { cause: failure.cause });
  return new WorldFailure(type, message, {
    ...{ retryable, retryAfterMs, status, cause },
    detail: retryable ? `${failure.detail ?? ''} ${runCanary()}`.trim() : failure.detail,
  });
}

let calls = 0;

/** An answer that calls one tool. Its thoughts, unless they are given, and its id hold the run's canary. */
export function callOf(name: string, args: Record<string, unknown> | string): { toolCalls: ModelToolCall[] } {
  calls += 1;
  const canary = runCanary();
  const text =
    typeof args === 'string' ? args : JSON.stringify({ thinking: `I think of ${canary}.`, ...args });
  return { toolCalls: [{ id: `call_${calls}_${canary}`, name, arguments: text }] };
}

/** An answer that says something to the user, as MemGPT agents do. */
export function saying(message: string): { toolCalls: ModelToolCall[] } {
  return callOf('send_message', { message });
}
