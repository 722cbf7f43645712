import type { LoopStyle } from '../../../core/agents.js';
import type { BundledThread } from '../../../core/bundle.js';
import type { MessageBody } from '../../../core/messages.js';
import { type FileMessage, fromFileMessages } from './messages.js';

/** What reading a transcript has to know besides it. */
export interface TranscriptReader {
  readonly style: LoopStyle;
  readonly now: Date;
  /** Bodies that Letta's form does not say whole, by the messages' ids. */
  readonly bodies: Readonly<Record<string, MessageBody>>;
}

/**
 * A thread's messages as a file has them. The prompt in front of them is left out: the agent's instructions say it. In
 * context are all messages from the first on that the file has in context.
 */
export function readThread(
  entries: readonly FileMessage[],
  inContextIds: readonly string[],
  { style, now, bodies }: TranscriptReader,
): Pick<BundledThread, 'messages' | 'inContext'> {
  const said = entries[0]?.role === 'system' ? entries.slice(1) : entries;
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
