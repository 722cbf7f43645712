import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runCanary } from './runtime/canary.js';
import { answerEmbeddings, type EmbeddingsRequest } from './model-embeddings.js';

/** A chat completion request, as far as scripts look at it. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }[];
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** What the server answers: text, or a tool call with its arguments, or an HTTP status. `cut`: half of it, then no more. */
export type Reply =
  | { readonly text: string; readonly cut?: true; readonly reasoning?: string }
  | {
      readonly call: string;
      readonly args: Record<string, unknown> | string;
      /** More calls in the same answer. */
      readonly also?: readonly { readonly call: string; readonly args: Record<string, unknown> }[];
      readonly text?: string;
      readonly cut?: true;
      readonly reasoning?: string;
    }
  | { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> };

/**
 * Decides by the request alone, so that a repeated one is answered in the same way. `step`: answers since the user
 * spoke. What it promises is answered when it is there: a model that is slow, or hangs.
 */
export type Policy = (request: ChatRequest, step: number) => Reply | Promise<Reply>;

export interface ModelServer {
  /** To be set as OPENAI_BASE_URL. */
  readonly baseUrl: string;
  /** Every request it got, in order. */
  readonly requests: readonly ChatRequest[];
  /** Called when the first half of an answer is sent; the rest waits for what it returns. */
  onHalfway: ((request: ChatRequest, step: number) => Promise<void>) | undefined;
  policy: Policy;
  /** How many of a request's tokens it says its cache held; absent: none. */
  cached?: ((request: ChatRequest, before: ChatRequest | undefined) => number) | undefined;
  /** Forgets its requests and goes by this policy alone. */
  begin(policy: Policy): void;
  close(): Promise<void>;
}

/** A server that speaks OpenAI's streaming chat completions by a policy. */
export async function startModelServer(policy: Policy): Promise<ModelServer> {
  const requests: ChatRequest[] = [];
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  const self: ModelServer = {
    baseUrl: '',
    requests,
    onHalfway: undefined,
    policy,
    begin(next) {
      requests.length = 0;
      Object.assign(self, { policy: next, onHalfway: undefined, cached: undefined });
    },
    close: () => close(server),
  };

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'scripted', object: 'model' }] }));
      return;
    }
    const body: unknown = JSON.parse(await bodyOf(incoming));
    if (incoming.url?.endsWith('/embeddings') === true) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answerEmbeddings(body as EmbeddingsRequest)));
      return;
    }
    const chat = body as ChatRequest;
    const before = requests.at(-1);
    requests.push(chat);
    const step = stepOf(chat);
    const reply = await self.policy(chat, step);
    if ('status' in reply) {
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(
        JSON.stringify(reply.body ?? { error: { message: `status ${reply.status} ${runCanary()}` } }),
      );
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunks = chunksOf(reply, chat, {
      serial: requests.length,
      cached: self.cached?.(chat, before) ?? 0,
    });
    const half = Math.floor(chunks.length / 2);
    for (const [index, chunk] of chunks.entries()) {
      if (index === half) await self.onHalfway?.(chat, step);
      if (index === half && reply.cut === true) return void response.destroy();
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    }
    response.end('data: [DONE]\n\n');
  }

  // One that is never closed lets its process end.
  server.on('connection', (socket) => socket.unref()).unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(self, { baseUrl: `http://127.0.0.1:${port}/v1` });
}

/** How many answers the model gave since a user last spoke. */
function stepOf(request: ChatRequest): number {
  const spoke = request.messages.findLastIndex(
    (message) => message.role === 'user' && !isFromRuntime(message.content),
  );
  return request.messages.slice(spoke + 1).filter((message) => message.role === 'assistant').length;
}

/** What a user said last, with whatever the runtime packs it in. */
export function lastSaid(request: ChatRequest): string {
  const spoken = request.messages.findLast(
    (message) => message.role === 'user' && !isFromRuntime(message.content),
  );
  return textOf(spoken?.content);
}

/** What the last tool call returned, with whatever the runtime packs it in; nothing where there was none. */
export function lastReturned(request: ChatRequest): string {
  return textOf(request.messages.findLast((message) => message.role === 'tool')?.content);
}

function textOf(content: unknown): string {
  if (content === undefined) return '';
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function isFromRuntime(content: unknown): boolean {
  return typeof content === 'string' && /^\{"type":"(heartbeat|system_alert)"/.test(content);
}

function chunksOf(
  reply: Exclude<Reply, { status: number }>,
  chat: ChatRequest,
  { serial, cached }: { readonly serial: number; readonly cached: number },
): object[] {
  const base = {
    id: `chatcmpl-${serial}-${runCanary()}`,
    object: 'chat.completion.chunk',
    created: 1,
    model: chat.model,
  };
  const delta = (content: object, finish: string | null = null): object => ({
    ...base,
    choices: [{ index: 0, delta: content, finish_reason: finish }],
  });
  const text = 'text' in reply ? (reply.text ?? '') : '';
  const pieces = piecesOf(text).map((piece) => delta({ content: piece }));
  const thoughts = piecesOf(reply.reasoning ?? '').map((piece) => delta({ reasoning_content: piece }));
  const call = 'call' in reply ? callChunks(reply, delta, chat) : [];
  return [
    delta({ role: 'assistant', content: '' }),
    ...thoughts,
    ...pieces,
    ...call,
    delta({}, 'call' in reply ? 'tool_calls' : 'stop'),
    { ...base, choices: [], usage: usageOf(chat, text, cached) },
  ];
}

function callChunks(
  reply: Extract<Reply, { call: string }>,
  delta: (content: object) => object,
  chat: ChatRequest,
): object[] {
  return [reply, ...(reply.also ?? [])].flatMap(({ call, args }, index) => {
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    const id = `call_${chat.messages.length}${index === 0 ? '' : `_${index}`}_${runCanary()}`;
    const first = { index, id, type: 'function', function: { name: call, arguments: '' } };
    return [
      delta({ tool_calls: [first] }),
      ...piecesOf(text).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ];
  });
}

function piecesOf(text: string): readonly string[] {
  return text.match(/.{1,12}/gs) ?? [];
}

function usageOf(chat: ChatRequest, text: string, cached: number): object {
  const prompt = Math.ceil(JSON.stringify(chat.messages).length / 4);
  const completion = Math.ceil(text.length / 4) + 8;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}
