import type { ModelMessage } from '../../../core/models/model.js';
import { parseObject, readCalls, type CallMade } from './conversation.js';

/**
 * The value of the `human` block: the system prompt's, with the notices of others' changes and the model's own
 * changes applied in order. Changes that the prompt already shows are not applied again.
 */
export function readHumanBlock(messages: readonly ModelMessage[]): string {
  const shownAt = messages.findLastIndex((message) => findShown(message) !== undefined);
  const shownIn = messages[shownAt];
  const shown = shownIn === undefined ? '' : (findShown(shownIn) ?? '');
  const calls = new Map(readCalls(messages).map((call) => [call.id, call]));
  return messages.slice(shownAt + 1).reduce((value, message) => {
    if (message.role === 'user') return applyNotice(value, message.content);
    if (message.role !== 'assistant') return value;
    return message.toolCalls
      .flatMap(({ id }) => calls.get(id) ?? [])
      .filter((call) => call.result?.ok === true)
      .reduce(applyCall, value);
  }, shown);
}

function findShown(message: ModelMessage): string | undefined {
  const text = typeof message.content === 'string' ? message.content : '';
  const inside = [...text.matchAll(/<human\b[^>]*>((?:(?!<human\b)[\s\S])*?)<\/human>/g)].at(-1)?.[1];
  if (inside === undefined) return undefined;
  return (/<value>([\s\S]*?)<\/value>/.exec(inside)?.[1] ?? inside).trim();
}

/** A notice has the whole value, or its changed lines: "-" before removed, "+" before added ones. */
function applyNotice(value: string, content: Extract<ModelMessage, { role: 'user' }>['content']): string {
  const alert = typeof content === 'string' ? parseObject(content) : undefined;
  const notice = typeof alert?.['message'] === 'string' ? alert['message'] : '';
  if (alert?.['type'] !== 'system_alert' || !notice.startsWith('Your memory block "human" was changed')) {
    return value;
  }
  const [opening = '', ...lines] = notice.split('\n');
  if (/It is empty now/.test(opening)) return '';
  if (/Its value is now/.test(opening)) return lines.join('\n');
  const gone = lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
  const added = lines.filter((line) => line.startsWith('+ ')).map((line) => line.slice(2));
  const kept = value.split('\n').filter((line) => !gone.includes(line));
  return [...kept, ...added.filter((line) => !kept.includes(line))].join('\n');
}

function applyCall(value: string, call: CallMade): string {
  const text = (...names: string[]): string => {
    const found = names.map((name) => call.arguments[name]).find((argument) => typeof argument === 'string');
    return found ?? '';
  };
  if (text('label', 'name') !== 'human') return value;
  const old = text('old_content', 'old_str', 'old_string');
  const added = text('content', 'new_content', 'new_str', 'new_string');
  if (old !== '') return value.includes(old) ? value.replace(old, () => added) : value;
  return added === '' || value.includes(added) ? value : `${value}\n${added}`;
}
