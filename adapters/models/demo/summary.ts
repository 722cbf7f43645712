import type { ModelMessage, ModelRequest } from '../../../core/models/model.js';
import { readUserText } from './conversation.js';

const longest = 1_200;
const opening = 'The user told me:';

/** Whether the request asks for a summary: it has no tools, and its instructions mention summarising. */
export function wantsSummary({ messages, tools }: ModelRequest): boolean {
  const instructions = messages[0];
  return (
    tools.length === 0 &&
    instructions?.role === 'system' &&
    /summar(?:i[sz]|y|ies)/i.test(instructions.content)
  );
}

/** A summary: the previous one, then the user's sentences, up to a page. */
export function writeSummary({ messages }: ModelRequest): string {
  const sentences = messages.slice(1).flatMap(readMaterial).flatMap(cutIntoSentences);
  const chosen: string[] = [];
  let length = 0;
  for (const sentence of new Set(sentences)) {
    if (length + sentence.length > longest) break;
    chosen.push(sentence);
    length += sentence.length + 1;
  }
  return chosen.length > 0 ? `${opening} ${chosen.join(' ')}` : 'Nothing was said that matters.';
}

/** The transcript may be in tags within one message, or be the conversation itself. */
function readMaterial(message: ModelMessage): string[] {
  if (message.role !== 'user') return [];
  const text = readUserText(message.content);
  const transcript = readTag(text, 'transcript');
  if (transcript === undefined) return [text];
  const previous = readTag(text, 'previous_summary')?.replace(opening, '') ?? '';
  return [previous, ...transcript.split('\n').flatMap(readLine)];
}

function readTag(text: string, tag: string): string | undefined {
  return new RegExp(`<${tag}>\\n?([\\s\\S]*?)\\n?</${tag}>`).exec(text)?.[1];
}

/** Lines are `[time] who: what`. The agent's own lines follow from the others. */
function readLine(line: string): string[] {
  const said = /^(?:\[[^\]]*\] )?([^:]{1,40}): (.*)$/.exec(line);
  if (said === null) return [];
  const [, who = '', what = ''] = said;
  return /^(?:assistant|system alert|memory notice)|(?:returned|failed)$/.test(who) ? [] : [what];
}

function cutIntoSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim().slice(0, 400))
    .filter((sentence) => sentence !== '');
}
