import type { ServerResponse } from 'node:http';
import { serveChats, sinceUser, toChunkLine } from './chat-server.js';

/**
 * An OpenAI-compatible server that answers at once, in its own process. The model's name and the number of answers since
 * the user's last message decide the answer. The server reports each answer to its parent. On the parent's order it
 * sends only the first half of an answer and holds the rest back.
 */
interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  /** Absent in requests for a summary. */
  readonly tools?: readonly unknown[];
}

interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Tells the parent that half of an answer was sent and the rest is held, or that all of it was sent. */
export interface AnswerNotice {
  readonly model: string;
  /** Number of answers since the user's last message: the first step is 0. */
  readonly step: number;
  readonly held: boolean;
}

/** A request as it arrived. Sent to a parent that ordered `record`. */
export type RecordedRequest = Pick<ChatRequest, 'messages' | 'tools'>;

/** What this process sends to its parent. */
export type ModelNotice = AnswerNotice | { readonly recorded: RecordedRequest };

/**
 * What the parent sends. `hold`: hold the next answer to this step of this model. `go on`: send the rest of the held
 * answer. `record`: report each request for this model from now on.
 */
export type ModelOrder =
  | { readonly hold: { readonly model: string; readonly step: number } }
  | 'go on'
  | { readonly record: string };

const goodbye: Call = { name: 'send_message', args: { message: 'I will remember that.' } };
const append: Call = {
  name: 'core_memory_append',
  args: { label: 'human', content: 'Likes the sea.', request_heartbeat: true },
};
const search: Call = {
  name: 'archival_memory_search',
  args: { query: 'the lighthouse', request_heartbeat: true },
};

const note = (line: string): Call => ({
  name: 'core_memory_append',
  args: { label: 'human', content: line, request_heartbeat: true },
});

let notes = 0;

/** Tools by the first part of a model's name. The model `<tool>-<n>` calls the tool n times, then speaks. */
const tools: Readonly<Record<string, () => Call>> = {
  append: () => append,
  search: () => search,
  // Two tools, so that the notes of two agents can be told apart.
  note: () => note(`Day ${(notes += 1)}: past the lighthouse before the rain; leave an hour earlier.`),
  memo: () => note(`Memo ${(notes += 1)}: the mooring at the north pier is free again.`),
};

function answerTo(model: string, step: number): Call {
  const [name = '', times = '0'] = model.split('-');
  return step < Number(times) ? (tools[name]?.() ?? goodbye) : goodbye;
}

function stepOf({ messages }: ChatRequest): number {
  return sinceUser(messages).since.filter(({ role }) => role === 'assistant').length;
}

const recorded = { model: '' };
const held: { next?: { model: string; step: number } | undefined; sendRest?: () => void } = {};
process.on('message', (order: ModelOrder) => {
  if (order === 'go on') held.sendRest?.();
  else if ('record' in order) recorded.model = order.record;
  else held.next = order.hold;
});

function answer(body: unknown, response: ServerResponse): void {
  const chat = body as ChatRequest;
  const step = stepOf(chat);
  if (recorded.model === chat.model) {
    const { messages, tools: offered } = chat;
    process.send?.({
      recorded: { messages, ...(offered === undefined ? {} : { tools: offered }) },
    } satisfies ModelNotice);
  }
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
    toChunkLine(chat, [{ index: 0, delta: content, finish_reason: finish }]);
  const called = {
    index: 0,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify({ thinking: 'Yes.', ...args }) },
  };
  if (chat.tools === undefined) {
    const summary = delta(
      { role: 'assistant', content: 'We spoke of the sea and of the lighthouse.' },
      'stop',
    );
    return [summary, 'data: [DONE]\n\n'];
  }
  return [
    delta({ role: 'assistant', tool_calls: [called] }, null),
    delta({}, 'tool_calls'),
    toChunkLine(chat, [], { prompt_tokens: 1_000, completion_tokens: 20, total_tokens: 1_020 }),
    'data: [DONE]\n\n',
  ];
}

serveChats(answer);
