import { sinceUser } from '../chat-server.js';
import { randomNumbers } from './vectors.js';

/** The parts of a chat completion request that the policies read. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
  }[];
  /** Absent in requests for a summary. */
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** What a policy does next. */
export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a policy reads from its request. It knows nothing else of the turn. */
interface Seen {
  /** The user's last message. */
  readonly said: string;
  /** Number of answers since then. */
  readonly step: number;
  /** What the last answer searched for, and the result. */
  readonly query: string | undefined;
  readonly returned: string;
  /** The whole context. */
  readonly whole: string;
}

/** Rules in place of a model, by the first word of its name. They keep no state: what is not in the request is lost. */
const policies: Readonly<Record<string, (seen: Seen) => Call>> = {
  kv: answerByLookups,
  talk: answerBySearching,
  blind: answerFromContext,
  storm: writeLines,
  insert: ({ said, step }) =>
    step === 0 ? tool('archival_memory_insert', { content: said }) : tell('It is stored.'),
  say: () => tell('I will remember that.'),
};

export function nextCall(chat: ChatRequest): Call {
  const seen = look(chat);
  if (chat.tools?.some(({ function: { name } }) => name === 'memory_finish_edits') === true)
    return refine(seen);
  return (policies[chat.model.split('-')[0] ?? ''] ?? policies['say'] ?? answerFromContext)(seen);
}

function look({ messages }: ChatRequest): Seen {
  const { user, since } = sinceUser(messages);
  return {
    said: textOf(user?.content),
    step: since.filter(({ role }) => role === 'assistant').length,
    query: queryOf(since.findLast(({ role }) => role === 'assistant')),
    returned: textOf(since.findLast(({ role }) => role === 'tool')?.content),
    whole: messages.map(({ content }) => textOf(content)).join('\n'),
  };
}

/** Looks up a key, then its value as the next key, until a value is no key. */
function answerByLookups({ said, query, returned }: Seen): Call {
  const lookUp = (key: string): Call => tool('archival_memory_search', { query: key, top_k: 5 });
  if (query === undefined) return lookUp(/Which value has key (\S+)\?/.exec(said)?.[1] ?? 'unknown');
  const value = new RegExp(`key ${query} has value ([\\w-]+)`).exec(returned)?.[1];
  return value === undefined ? tell(`The value is ${query}.`) : lookUp(value);
}

/** Searches recall for each answer, even if it is in context. */
function answerBySearching(seen: Seen): Call {
  const asked = lockerAsked(seen.said);
  if (asked !== undefined && seen.step === 0) {
    return tool('conversation_search', { query: `code of locker ${asked}` });
  }
  return answerOf(seen, asked === undefined ? undefined : codeOf(asked, seen.returned));
}

function answerFromContext(seen: Seen): Call {
  const asked = lockerAsked(seen.said);
  return answerOf(seen, asked === undefined ? undefined : codeOf(asked, seen.whole));
}

function answerOf({ said }: Seen, code: string | undefined): Call {
  const turn = /Turn (\d+)\./.exec(said)?.[1] ?? 'unknown';
  return tell(
    `Answer ${turn}. ${code === undefined ? 'Noted.' : `It is ${code}.`} ${chatter(Number(turn), 60)}`,
  );
}

function lockerAsked(said: string): string | undefined {
  return /Which code has locker (\w+)\?/.exec(said)?.[1];
}

function codeOf(locker: string, text: string): string | undefined {
  return new RegExp(`code of locker ${locker} is (\\w+)`).exec(text)?.[1];
}

/** Appends one line per step to a block that other agents write to. */
function writeLines({ said, step }: Seen): Call {
  const [, writer = 'nobody', lines = '0'] = /writer (\d+), (\d+) lines/.exec(said) ?? [];
  if (step >= Number(lines)) return tell('All written.');
  const content = `writer ${writer} line ${step}.`;
  return tool('core_memory_append', { label: 'log', content });
}

/** The sleep-time partner: writes down each saying of its transcript, then finishes. */
function refine({ said, step }: Seen): Call {
  const heard = [...new Set([...said.matchAll(/This is (saying-\d+)/g)].map(([, saying]) => saying))];
  if (step > 0 || heard.length === 0) return { name: 'memory_finish_edits', args: {} };
  const text = heard.map((saying) => `heard ${saying}.`).join('\n');
  return { name: 'memory_insert', args: { label: 'human', new_string: text } };
}

function tool(name: string, args: Readonly<Record<string, unknown>>): Call {
  return { name, args: { ...args, request_heartbeat: true } };
}

function tell(message: string): Call {
  return { name: 'send_message', args: { message } };
}

const words =
  'the sea was calm and we went past the lighthouse before it rained so that nobody noticed our mooring at north pier while gulls slept on warm stones'.split(
    ' ',
  );

/** Words without a fact in them, the same for the same seed. */
export function chatter(seed: number, count: number): string {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, () => words[Math.floor(random() * words.length)]).join(' ');
}

function queryOf(answer: ChatRequest['messages'][number] | undefined): string | undefined {
  const given = answer?.tool_calls?.[0]?.function.arguments;
  return given === undefined ? undefined : (JSON.parse(given) as { query?: string }).query;
}

function textOf(content: unknown): string {
  if (content === undefined || content === null) return '';
  return typeof content === 'string' ? content : JSON.stringify(content);
}
