import type { LoopStyle } from '../../../core/agents/agents.js';
import type { TransferredThread } from '../../../core/transfer/transfer.js';
import type { MessageBody } from '../../../core/threads/messages.js';
import { type FileMessage, fromFileMessages } from './message-reading.js';

/** What is needed to read a transcript. */
export interface TranscriptReader {
  readonly style: LoopStyle;
  readonly now: Date;
  /** The agent's instructions. */
  readonly instructions: string;
  /** Bodies that Letta's form does not hold completely, by the messages' ids. */
  readonly bodies: Readonly<Record<string, MessageBody>>;
}

/**
 * A thread's messages in a file. Prompts among them are left out, because the agent has its instructions. In context are
 * all messages from the first one that is in context in the file.
 */
export function readThread(
  entries: readonly FileMessage[],
  inContextIds: readonly string[],
  { style, now, bodies, instructions }: TranscriptReader,
): Pick<TransferredThread, 'messages' | 'inContext'> {
  const said = entries.filter((entry, index) => !isPrompt(entry, index, instructions));
  const inContext = new Set(inContextIds);
  const first = said.findIndex(({ id }) => id != null && inContext.has(id));
  const read = fromFileMessages(said, { style, now }).map((messages, index) => {
    const id = said[index]?.id;
    const whole = id == null ? undefined : bodies[id];
    const [message] = messages;
    return whole === undefined || message === undefined ? messages : [{ ...message, body: whole }];
  });
  return {
    messages: read.flat(),
    inContext: first === -1 ? 0 : read.slice(first).flat().length,
  };
}

/** A prompt is recognised by this many first characters of the instructions; the rest of it changes. */
const knownBy = 200;

/** Letta stores the prompt as the first message in context, and its earlier versions as messages out of context. */
function isPrompt(entry: FileMessage, index: number, instructions: string): boolean {
  if (entry.role !== 'system') return false;
  if (index === 0) return true;
  const beginning = instructions.trim().slice(0, knownBy);
  return beginning !== '' && textOf(entry.content).trimStart().startsWith(beginning);
}

function textOf(content: FileMessage['content']): string {
  if (typeof content === 'string') return content;
  const text = content?.[0]?.['text'];
  return typeof text === 'string' ? text : '';
}
