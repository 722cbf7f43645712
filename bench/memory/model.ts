import type { ServerResponse } from 'node:http';
import { countTokens } from '../../adapters/tokens.js';
import { serveChats, toChunkLine } from '../chat-server.js';
import { type ChatRequest, nextCall } from './policies.js';
import { summaryOf } from './summarisers.js';
import { vectorOf } from './vectors.js';

/**
 * An OpenAI-compatible server in its own process. Scripted policies (`policies.ts`) decide its answers. A chat model is
 * named `<policy>-<window>-<summariser>`. A request larger than the window is refused as OpenAI refuses it.
 */

/** Providers count a tool at about half the tokens of its JSON. */
const toolShare = 0.5;
const aboutMessage = 4;

function answer(body: unknown, response: ServerResponse, path: string): void {
  if (path.endsWith('/embeddings')) {
    answerJson(response, 200, embeddings(body as EmbeddingsRequest));
    return;
  }
  const chat = body as ChatRequest;
  const [, window = '0', summariser = 'plain'] = chat.model.split('-');
  const prompt = sizeOf(chat);
  if (Number(window) > 0 && prompt > Number(window)) {
    const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${prompt} tokens.`;
    answerJson(response, 400, { error: { message, code: 'context_length_exceeded' } });
    return;
  }
  if (chat.tools === undefined) summarise(response, chat, summariser);
  else call(response, chat, prompt);
}

interface EmbeddingsRequest {
  readonly model: string;
  readonly input: string | readonly string[];
}

function embeddings({ model, input }: EmbeddingsRequest): object {
  const texts = typeof input === 'string' ? [input] : input;
  // Four digits tell texts apart, and keep the JSON small, which is most of the cost of a large load.
  const rounded = (vector: Float32Array): number[] =>
    Array.from(vector, (value) => Math.round(value * 1e4) / 1e4);
  const data = texts.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: rounded(vectorOf(text)),
  }));
  return { object: 'list', model, data, usage: { prompt_tokens: 0, total_tokens: 0 } };
}

function call(response: ServerResponse, chat: ChatRequest, prompt: number): void {
  const { name, args } = nextCall(chat);
  const made = { name, arguments: JSON.stringify(args) };
  const begun = { index: 0, id: `call_${chat.messages.length}`, type: 'function', function: made };
  const completion = countTokens(made.arguments) + aboutMessage;
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(
    [
      toChunkLine(chat, [
        { index: 0, delta: { role: 'assistant', tool_calls: [begun] }, finish_reason: null },
      ]),
      toChunkLine(chat, [{ index: 0, delta: {}, finish_reason: 'tool_calls' }]),
      toChunkLine(chat, [], usage),
      'data: [DONE]\n\n',
    ].join(''),
  );
}

function summarise(response: ServerResponse, chat: ChatRequest, kind: string): void {
  const summary = summaryOf(kind);
  if (summary === 'none') {
    answerJson(response, 500, { error: { message: 'The summariser is down.' } });
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const said = { role: 'assistant', content: summary.text };
  response.write(toChunkLine(chat, [{ index: 0, delta: said, finish_reason: null }]));
  // A burst never ends by itself. The reader must stop it.
  if (summary.isEndless) return;
  response.end(
    `${toChunkLine(chat, [{ index: 0, delta: {}, finish_reason: 'stop' }])}${toChunkLine(chat, [], { prompt_tokens: sizeOf(chat), completion_tokens: 1, total_tokens: 1 })}data: [DONE]\n\n`,
  );
}

const counts = new Map<string, number>();

/** The tokens (o200k) that a provider would count for the request. */
function sizeOf({ messages, tools = [] }: ChatRequest): number {
  const counted = (part: unknown): number => {
    const text = JSON.stringify(part);
    const known = counts.get(text) ?? countTokens(text);
    counts.set(text, known);
    return known;
  };
  const said = messages.reduce((sum, message) => sum + counted(message) + aboutMessage, 0);
  return Math.ceil(said + toolShare * counted(tools));
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

serveChats(answer);
