import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An OpenAI-compatible server that answers at once, in a process of its own. What it answers follows from the
 * model's name and from how often it has answered since a user last spoke. It tells its parent of every answer, and
 * where the parent asked for it, sends half of one and holds the rest back.
 */
interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the parent is told: an answer was begun, and is held or went out whole. */
export interface AnswerNotice {
  readonly model: string;
  /** 0-based, since a user last spoke. */
  readonly step: number;
  readonly held: boolean;
}

/** Sent by the parent: hold the next answer to this step of this model, or send the rest of the one that is held. */
export type HoldOrder = { readonly hold: { readonly model: string; readonly step: number } } | 'go on';

const goodbye: Call = { name: 'send_message', args: { message: 'I will remember that.' } };
const append: Call = {
  name: 'core_memory_append',
  args: { label: 'human', content: 'Likes the sea.', request_heartbeat: true },
};
const search: Call = {
  name: 'archival_memory_search',
  args: { query: 'the lighthouse', request_heartbeat: true },
};

/** By model name: `<tool>-<n>` calls the tool n times, then speaks. */
const tools: Readonly<Record<string, Call>> = { append, search };

function answerTo(model: string, step: number): Call {
  const [name = '', times = '0'] = model.split('-');
  return step < Number(times) ? (tools[name] ?? goodbye) : goodbye;
}

function stepOf({ messages }: ChatRequest): number {
  const spoke = messages.findLastIndex(({ role, content }) => role === 'user' && !isFromRuntime(content));
  return messages.slice(spoke + 1).filter(({ role }) => role === 'assistant').length;
}

function isFromRuntime(content: unknown): boolean {
  return typeof content === 'string' && /^\{"type":"(heartbeat|system_alert)"/.test(content);
}

const held: { next?: { model: string; step: number } | undefined; sendRest?: () => void } = {};
process.on('message', (order: HoldOrder) => {
  if (order === 'go on') held.sendRest?.();
  else held.next = order.hold;
});

async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const chat = JSON.parse(await bodyOf(incoming)) as ChatRequest;
  const step = stepOf(chat);
  const [first, ...rest] = chunksOf(chat, answerTo(chat.model, step));
  const tell = (isHeld: boolean): void => {
    process.send?.({ model: chat.model, step, held: isHeld } satisfies AnswerNotice);
  };
  const sendRest = (): void => {
    response.end(rest.join(''));
    tell(false);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(first);
  if (held.next?.model !== chat.model || held.next.step !== step) {
    sendRest();
    return;
  }
  held.next = undefined;
  held.sendRest = sendRest;
  tell(true);
}

function chunksOf(chat: ChatRequest, { name, args }: Call): string[] {
  const id = `call_${chat.messages.length}`;
  const delta = (content: object, finish: string | null): string =>
    toLine(chat, [{ index: 0, delta: content, finish_reason: finish }]);
  const called = {
    index: 0,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify({ thinking: 'Yes.', ...args }) },
  };
  return [
    delta({ role: 'assistant', tool_calls: [called] }, null),
    delta({}, 'tool_calls'),
    toLine(chat, [], { prompt_tokens: 1_000, completion_tokens: 20, total_tokens: 1_020 }),
    'data: [DONE]\n\n',
  ];
}

function toLine({ model }: ChatRequest, choices: readonly object[], usage: object | null = null): string {
  const chunk = { id: 'chatcmpl', object: 'chat.completion.chunk', created: 1, model, choices, usage };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ ready: true, baseUrl: `http://127.0.0.1:${port}/v1` });
});
// Ends with its parent, however that ends.
process.once('disconnect', () => process.exit(0));
