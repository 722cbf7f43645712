import { isDeepStrictEqual } from 'node:util';
import { type LoopStyle, loopStyle } from '../../../core/agents/agents.js';
import type {
  TransferredAgent,
  TransferredMessage,
  TransferredThread,
} from '../../../core/transfer/transfer.js';
import type { MessageBody } from '../../../core/threads/messages.js';
import { type StoredMessage, toStoredMessage } from '../../threads/stored-message-wire.js';
import type { FileNames } from './entry-names.js';
import { fileMessage, fromFileMessages } from './message-reading.js';

/** A transcript as an agent file holds it. */
export interface WrittenTranscript {
  readonly messages: readonly StoredMessage[];
  readonly in_context_message_ids: readonly string[];
}

/** The state of writing transcripts: the ids given so far, and the bodies that Letta's form does not hold completely. */
export interface TranscriptWriter {
  readonly names: FileNames;
  readonly bodies: Record<string, MessageBody>;
}

/** Writes the agent's default thread. The instructions come first: Letta takes the first message in context for the prompt. */
export function writeDefaultThread(
  pen: TranscriptWriter,
  agent: TransferredAgent,
  thread: TransferredThread | undefined,
): WrittenTranscript {
  const id = pen.names.next('message');
  const instructions = toStoredMessage(
    {
      createdAt: thread?.messages[0]?.createdAt ?? new Date(0),
      otid: null,
      senderId: null,
      body: { kind: 'system', content: [{ type: 'text', text: agent.system }] },
    },
    { id, agentId: pen.names.name('agent', agent.id), senderId: null },
  );
  const rest = writeThread(pen, agent, thread);
  return {
    messages: [instructions, ...rest.messages],
    in_context_message_ids: [id, ...rest.in_context_message_ids],
  };
}

/** Writes a thread of an agent; without a thread, an empty transcript. */
export function writeThread(
  pen: TranscriptWriter,
  agent: TransferredAgent,
  thread: TransferredThread | undefined,
): WrittenTranscript {
  const { messages = [], inContext = 0 } = thread ?? {};
  const style = loopStyle(agent.agentType);
  const ids = messages.map(() => pen.names.next('message'));
  const written = messages.map((message, index) =>
    writeMessage(pen, message, { id: ids[index] ?? '', agent, style }),
  );
  return { messages: written, in_context_message_ids: ids.slice(ids.length - inContext) };
}

/** Whether Letta's form holds all of a message. If not, the file also holds its body in the runtime's form. */
export function isSaidWhole(body: MessageBody, written: StoredMessage, style: LoopStyle): boolean {
  const [read] = fromFileMessages([fileMessage.parse(written)], { style, now: new Date(0) });
  return read?.length === 1 && isDeepStrictEqual(read[0]?.body, body);
}

function writeMessage(
  { names, bodies }: TranscriptWriter,
  message: TransferredMessage,
  { id, agent, style }: { readonly id: string; readonly agent: TransferredAgent; readonly style: LoopStyle },
): StoredMessage {
  const { senderId, body } = message;
  const written = toStoredMessage(message, {
    id,
    agentId: names.name('agent', agent.id),
    senderId: senderId === null ? null : (names.known('agent', senderId) ?? senderId),
  });
  if (!isSaidWhole(body, written, style)) bodies[id] = body;
  return written;
}
