import type { LoopStyle } from '../../../core/agents/agents.js';
import type { BundledThread } from '../../../core/transfer/bundle.js';
import type { MessageBody } from '../../../core/threads/messages.js';
import { type FileMessage, fromFileMessages } from './message-reading.js';

/** What reading a transcript has to know besides it. */
export interface TranscriptReader {
  readonly style: LoopStyle;
  readonly now: Date;
  /** Of the agent. */
  readonly instructions: string;
  /** Bodies that Letta's form does not say whole, by the messages' ids. */
  readonly bodies: Readonly<Record<string, MessageBody>>;
}

/**
 * A thread's messages as a file has them. Prompts among them are left out: the agent's instructions say them. In context
 * are all messages from the first on that the file has in context.
 */
export function readThread(
  entries: readonly FileMessage[],
  inContextIds: readonly string[],
  { style, now, bodies, instructions }: TranscriptReader,
): Pick<BundledThread, 'messages' | 'inContext'> {
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

/** Characters of the instructions by which a prompt is known: what follows them in it changes. */
const knownBy = 200;

/** Letta keeps the prompt as a context's first message, and its earlier versions as messages out of context. */
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
