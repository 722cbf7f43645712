import type { LoopStyle } from '../agents/agents.js';
import type { MessageBody } from './messages.js';
import { type SpeakingTools, speakingTools } from '../tools/messaging.js';

/** The words that an agent says in one message, to users and agents alike, without its thoughts. */
export function wordsSaid(body: MessageBody, style: LoopStyle, speaking?: SpeakingTools): readonly string[] {
  if (body.kind !== 'assistant') return [];
  // A call that waits for an approval has not run yet.
  const toolCalls = body.toolCalls.filter((call) => body.awaited?.includes(call.id) !== true);
  const isSpoken = style === 'native' || body.spoken === true;
  return spokenTexts({ ...body, toolCalls, text: isSpoken ? body.text : '' }, speaking);
}

/** All texts of a message: spoken, thought, and the words of speaking calls. */
export function spokenTexts(body: MessageBody, speaking: SpeakingTools = speakingTools): readonly string[] {
  if (body.kind !== 'assistant') return [];
  const said = body.toolCalls.flatMap((call) => {
    const argument = speaking.get(call.name);
    return argument === undefined ? [] : saidBy(call.arguments, argument);
  });
  return [body.text, ...said].filter((text) => text !== '');
}

/** The words in a call's arguments; none where the arguments are not a JSON object. */
function saidBy(text: string, argument: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return [];
    const words = new Map<string, unknown>(Object.entries(value)).get(argument);
    return typeof words === 'string' ? [words] : [];
  } catch {
    return [];
  }
}
