import { parseObject } from './conversation.js';

/** The texts of a search result in any form: objects, JSON, or a list as text. */
export function readFound(result: unknown): string[] {
  if (typeof result === 'string') return readText(result);
  if (Array.isArray(result)) return preferUser(result).flatMap(readFound);
  if (typeof result !== 'object' || result === null) return [];
  const fields = result as Readonly<Record<string, unknown>>;
  for (const name of ['results', 'content', 'text', 'message']) {
    if (fields[name] !== undefined) return readFound(fields[name]);
  }
  return [];
}

/** Of past messages, those of the user: what the agent said follows from them. */
function preferUser(items: readonly unknown[]): readonly unknown[] {
  const written = items.filter((item) => (item as { role?: unknown } | null)?.role === 'user');
  return written.length > 0 ? written : items;
}

function readText(text: string): string[] {
  const parsed = parseJson(text);
  if (typeof parsed === 'object' && parsed !== null) return readFound(parsed);
  const quoted = [
    ...text.matchAll(/["'](?:content|text)["']:\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/g),
  ];
  if (quoted.length > 0) return quoted.map((match) => match[1] ?? match[2] ?? '').flatMap(unpack);
  if (/^\s*(?:no (?:results|matching|passages|messages)|nothing|none\b|\[\]|\(\[\])/i.test(text)) return [];
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '').trim())
    .filter((line) => line !== '' && !/^(?:showing|found|results?)\b.*\d/i.test(line));
}

/** A found message may have a user's words in MemGPT's format. */
function unpack(text: string): string[] {
  const message = parseObject(text)?.['message'];
  return [typeof message === 'string' ? message : text];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
