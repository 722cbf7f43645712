import type { ModelMessage, ModelRequest } from '../../../core/model.js';
import { readUserText } from './conversation.js';

const longest = 1_200;

/** Whether the request wants a summary: it offers no tools, and its instructions speak of summarising. */
export function wantsSummary({ messages, tools }: ModelRequest): boolean {
  const instructions = messages[0];
  return (
    tools.length === 0 &&
    instructions?.role === 'system' &&
    /summar(?:i[sz]|y|ies)/i.test(instructions.content)
  );
}

/** A summary made of the conversation's own sentences: those in which somebody tells something of themselves, first. */
export function writeSummary({ messages }: ModelRequest): string {
  const sentences = messages.slice(1).flatMap(readText).flatMap(cutIntoSentences);
  const telling = sentences.filter((sentence) => /\b(?:my|i|i'm|user|name|remember)\b/i.test(sentence));
  const chosen: string[] = [];
  let length = 0;
  for (const sentence of new Set([...telling, ...sentences])) {
    if (length + sentence.length > longest) break;
    chosen.push(sentence);
    length += sentence.length + 1;
  }
  return chosen.length > 0 ? `So far: ${chosen.join(' ')}` : 'So far nothing was said.';
}

function readText(message: ModelMessage): string[] {
  switch (message.role) {
    case 'user':
      return [readUserText(message.content)];
    case 'assistant':
      return [message.content];
    case 'system':
    case 'tool':
      return [];
  }
}

function cutIntoSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim().slice(0, 400))
    .filter((sentence) => sentence !== '');
}
