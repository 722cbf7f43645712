import type { OpenAI } from 'openai';
import { Stream } from 'openai/streaming';
import { APIError } from 'openai';
import type { ModelAnswer, ModelDescription, ModelMessage, ModelRequest } from '../../core/models/model.js';
import { createAnswerBuilder, type AnswerBuilder } from './answer-builder.js';
import { toChatRequest } from './chat-request.js';
import { createDeadline } from './deadline.js';
import { cutStream, lateAnswer, silentModel, toModelFailure } from './failure.js';
import { idempotencyKeyOf } from './idempotency.js';
import type { CompleteOptions, Model } from './model.js';
import { createClient, findError } from './openai-client.js';
import type { Endpoint } from './providers.js';
import { untilAborted } from './until-aborted.js';
import { createSilenceWatch, defaultSilence, type SilenceLimits, type SilenceWatch } from './silence.js';
import type { WireCompletion } from './wire.js';

const defaultTimeoutMs = 10 * 60_000;

/** Creates a model for an endpoint with OpenAI's chat completions API. */
export function createChatModel(
  description: ModelDescription,
  endpoint: Endpoint,
  silence: SilenceLimits = defaultSilence,
): Model {
  const client = createClient(endpoint);
  return {
    description,
    complete: (request, options = {}) =>
      complete({ client, endpoint, description, silence, request, options }),
  };
}

interface Call {
  readonly client: OpenAI;
  readonly endpoint: Endpoint;
  readonly description: ModelDescription;
  readonly silence: SilenceLimits;
  readonly request: ModelRequest;
  readonly options: CompleteOptions;
}

async function complete(call: Call): Promise<ModelAnswer> {
  const { handle } = call.description;
  const { signal, onDelta, timeoutMs = defaultTimeoutMs } = call.options;
  signal?.throwIfAborted();
  const deadline = createDeadline(timeoutMs, signal);
  const { controller } = deadline;
  const watch = createSilenceWatch(call.silence, () => {
    controller.abort();
  });
  const builder = createAnswerBuilder((delta) => onDelta?.(delta));
  let failure: unknown;
  try {
    await untilAborted(receive(call, { controller, watch, builder }), controller.signal);
  } catch (error) {
    failure = error;
  } finally {
    deadline.clear();
    watch.clear();
  }
  // The package may end an aborted stream as if it were complete.
  signal?.throwIfAborted();
  // After the model's last word, only the usage can be missing. That is not worth paying for the answer again.
  const answer = builder.finish();
  if (answer !== undefined) return answer;
  if (watch.silentMs !== undefined) throw silentModel(handle, watch.silentMs);
  if (deadline.isOver()) throw lateAnswer(handle, timeoutMs);
  throw failure === undefined ? cutStream(handle) : toModelFailure(failure, toFailedCall(call));
}

/** Where an answer goes, and what may stop it. */
interface Receiving {
  readonly controller: AbortController;
  readonly watch: SilenceWatch;
  readonly builder: AnswerBuilder;
}

/**
 * Sends the request and feeds the builder from the stream, or from the whole answer of a server that does not stream.
 */
async function receive(call: Call, { controller, watch, builder }: Receiving): Promise<void> {
  const { client, endpoint, description, request, options } = call;
  // Made into text once: for the key, and to be sent. With hundreds of messages that is most of what a call computes.
  const body = JSON.stringify(
    toChatRequest(description.model, request, endpoint.provider.config === 'openai'),
  );
  const { idempotencyKey: scope } = options;
  const response = await client
    .post('/chat/completions', {
      body,
      signal: controller.signal,
      ...(options.timeoutMs === undefined ? {} : { timeout: Math.ceil(options.timeoutMs) }),
      headers: {
        'Content-Type': 'application/json',
        ...(scope === undefined ? {} : { 'Idempotency-Key': idempotencyKeyOf(scope, body) }),
      },
    })
    .asResponse();
  const heard = watch.hear(response);
  if (isJson(response)) {
    builder.add(checkError(await heard.json(), response));
    return;
  }
  for await (const chunk of Stream.fromSSEResponse<WireCompletion>(heard, controller, client)) {
    // Later chunks of the same burst are dropped.
    if (controller.signal.aborted) return;
    builder.add(chunk);
  }
}

function isJson(response: Response): boolean {
  return response.headers.get('content-type')?.includes('application/json') ?? false;
}

/** Routers send errors with status 200. */
function checkError(body: unknown, response: Response): WireCompletion {
  const completion = (body ?? {}) as WireCompletion & { readonly error?: unknown };
  if (completion.error == null) return completion;
  throw new APIError(undefined, asObject(findError(body)), undefined, response.headers);
}

function asObject(error: unknown): object {
  return typeof error === 'object' && error !== null ? error : { message: String(error) };
}

function toFailedCall({ endpoint, description, request }: Call): Parameters<typeof toModelFailure>[1] {
  return {
    handle: description.handle,
    keyVariable: endpoint.provider.keyVariable,
    secrets: endpoint.apiKey === undefined ? [] : [endpoint.apiKey],
    sent: request.messages.flatMap(toSentTexts),
  };
}

function toSentTexts(message: ModelMessage): string[] {
  if (message.role === 'assistant') {
    return [message.content, ...message.toolCalls.map((call) => call.arguments)];
  }
  if (typeof message.content === 'string') return [message.content];
  return message.content.map((part) => (part.type === 'text' ? part.text : part.url));
}
