import type { LoopStyle } from '../agents/agents.js';
import type { MessageBody } from './messages.js';
import { type SpeakingTools, speakingTools } from '../tools/messaging.js';

/** The words that an agent says aloud in one message, to users and agents alike: what is only thought stays its own. */
export function wordsSaid(body: MessageBody, style: LoopStyle, speaking?: SpeakingTools): readonly string[] {
  if (body.kind !== 'assistant') return [];
  // A call that waits for an approval has not been made yet.
  const toolCalls = body.toolCalls.filter((call) => body.awaited?.includes(call.id) !== true);
  const isSpoken = style === 'native' || body.spoken === true;
  return spokenTexts({ ...body, toolCalls, text: isSpoken ? body.text : '' }, speaking);
}

/** All that a message puts into words: its text, spoken or thought, and the words of calls by which agents speak. */
export function spokenTexts(body: MessageBody, speaking: SpeakingTools = speakingTools): readonly string[] {
  if (body.kind !== 'assistant') return [];
  const said = body.toolCalls.flatMap((call) => {
    const argument = speaking.get(call.name);
    return argument === undefined ? [] : saidBy(call.arguments, argument);
  });
  return [body.text, ...said].filter((text) => text !== '');
}

/** The words in a call's arguments; none where the model wrote no JSON object. */
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
