import { applyOperation } from '../core/blocks/operations.js';
import type { BlockOperation } from '../core/blocks/blocks.js';
import type { ModelMessage } from '../core/models/model.js';
import { noticeOfNewPrefix } from '../core/threads/notices.js';

/**
 * The agent's blocks as a model can know them from this request alone. It reads the prefix, then in order the notices and
 * the results of the agent's own edits. Throws on a notice that it can't parse.
 */
export function readMemory(messages: readonly ModelMessage[]): ReadonlyMap<string, string> {
  const [prefix, ...rest] = messages;
  const blocks = readPrefix(textOf(prefix));
  const calls = new Map<string, { name: string; arguments: string }>();
  for (const message of rest) {
    if (message.role === 'assistant') message.toolCalls.forEach((call) => calls.set(call.id, call));
  }
  // Messages before this notice describe blocks of an older prefix.
  const writtenAt = rest.findLastIndex((message) => alertOf(message) === noticeOfNewPrefix);
  for (const message of rest.slice(writtenAt + 1)) {
    if (message.role === 'tool') readResult(blocks, calls.get(message.toolCallId), message.content);
    const alert = alertOf(message);
    if (alert !== undefined) readNotice(blocks, alert);
  }
  return blocks;
}

function textOf(message: ModelMessage | undefined): string {
  return typeof message?.content === 'string' ? message.content : '';
}

const block =
  /<([^\s<>/]+)>\n(?:<description>\n[\s\S]*?\n<\/description>\n)?<metadata>\n[\s\S]*?<\/metadata>\n<value>\n([\s\S]*?)\n<\/value>\n<\/\1>/g;

function readPrefix(prefix: string): Map<string, string> {
  return new Map([...prefix.matchAll(block)].map(([, label = '', value = '']) => [label, value]));
}

function alertOf(message: ModelMessage): string | undefined {
  const content = textOf(message);
  if (message.role !== 'user' || !content.startsWith('{"type":"system_alert"')) return undefined;
  return (JSON.parse(content) as { message: string }).message;
}

const notice =
  /^Your memory block "([^"]+)" was changed by [^\n]+?\. (It is empty now\.|Its value is now[^\n]*|Changes \([^\n]*)\n?([\s\S]*)$/;

function readNotice(blocks: Map<string, string>, text: string): void {
  const [, label, how = '', rest = ''] = notice.exec(text) ?? [];
  if (label === undefined) return;
  const before = blocks.get(label) ?? '';
  blocks.set(label, how.startsWith('Changes (') ? patched(before, rest) : rest);
}

/** A unified diff applied line by line. */
function patched(before: string, difference: string): string {
  const lines = before === '' ? [] : before.split('\n');
  const after: string[] = [];
  let at = 0;
  for (const line of difference.split('\n')) {
    const head = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/.exec(line);
    if (head !== null) {
      // The header of a hunk without old lines gives the number of the line before it.
      const start = Number(head[1]) - (head[2] === '0' ? 0 : 1);
      after.push(...lines.slice(at, start));
      at = start;
      continue;
    }
    if (!line.startsWith('+') && lines[at] !== line.slice(1))
      throw new Error(
        `A difference has the line "${line}", which is not in the block that the reader knows.`,
      );
    if (!line.startsWith('-')) after.push(line.slice(1));
    if (!line.startsWith('+')) at += 1;
  }
  return [...after, ...lines.slice(at)].join('\n');
}

function readResult(
  blocks: Map<string, string>,
  call: { name: string; arguments: string } | undefined,
  content: string,
): void {
  const { status, message } = JSON.parse(content) as { status: string; message: string };
  const edit = call === undefined ? undefined : editOf(call);
  if (edit === undefined) return;
  const { label, operation } = edit;
  const shown =
    / It reads now:\n([\s\S]*)$/.exec(message) ??
    /Its current value is:\n([\s\S]*?)\n\(End of the current value\.\)/.exec(message);
  if (shown !== null) {
    blocks.set(label, shown[1] ?? '');
    return;
  }
  // If others changed the block too, a notice shows this edit together with theirs.
  if (status !== 'OK' || message.includes('A notice will show')) return;
  const target = { label, value: blocks.get(label) ?? '', limit: Infinity, readOnly: false, revision: 1 };
  const outcome = applyOperation(target, operation);
  if (!outcome.ok)
    throw new Error(`The edit does not fit the value that the reader knows: ${outcome.message}`);
  blocks.set(label, outcome.value);
}

function editOf(call: {
  name: string;
  arguments: string;
}): { label: string; operation: BlockOperation } | undefined {
  const given = JSON.parse(call.arguments) as Record<string, string>;
  const { label = '', content = '', old_content: old = '', new_content: replacement = '' } = given;
  if (call.name === 'core_memory_append') return { label, operation: { kind: 'append', content } };
  if (call.name === 'core_memory_replace') {
    return { label, operation: { kind: 'replace', old, new: replacement, all: true } };
  }
  if (call.name === 'memory_rethink') {
    return { label, operation: { kind: 'set', value: given['new_memory'] ?? '' } };
  }
  return undefined;
}
