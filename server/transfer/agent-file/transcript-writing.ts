import { type LoopStyle, loopStyle } from '../../../core/agents/agents.js';
import type {
  TransferredAgent,
  TransferredMessage,
  TransferredThread,
} from '../../../core/transfer/transfer.js';
import type { MessageBody } from '../../../core/threads/messages.js';
import { isSaidWhole, toFileMessage, type WrittenMessage } from './message-writing.js';
import type { FileNames } from './entry-names.js';

/** A transcript as an agent file holds it. */
export interface WrittenTranscript {
  readonly messages: readonly WrittenMessage[];
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
  const instructions = toFileMessage(
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

function writeMessage(
  { names, bodies }: TranscriptWriter,
  message: TransferredMessage,
  { id, agent, style }: { readonly id: string; readonly agent: TransferredAgent; readonly style: LoopStyle },
): WrittenMessage {
  const { senderId, body } = message;
  const written = toFileMessage(message, {
    id,
    agentId: names.name('agent', agent.id),
    senderId: senderId === null ? null : (names.known('agent', senderId) ?? senderId),
  });
  if (!isSaidWhole(body, written, style)) bodies[id] = body;
  return written;
}
