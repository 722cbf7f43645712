import type { ContentPart } from '../../../core/models/model.js';

/** The content of a text that Letta packs into JSON before an agent reads it. */
export type UnpackedText =
  | { readonly kind: 'plain'; readonly content: readonly ContentPart[] }
  | { readonly kind: 'user'; readonly content: readonly ContentPart[]; readonly name?: string }
  | { readonly kind: 'alert'; readonly content: readonly ContentPart[] }
  | { readonly kind: 'heartbeat'; readonly content: readonly ContentPart[]; readonly reason: string };

/** Unpacks a text. One that is not packed is returned as it is. */
export function unpackText(text: string): UnpackedText {
  const packed = parseObject(text);
  const { type, message, name, reason } = packed;
  const said = (of: unknown): readonly ContentPart[] => [{ type: 'text', text: String(of) }];
  if (type === 'user_message' && typeof message === 'string') {
    return { kind: 'user', content: said(message), ...(typeof name === 'string' ? { name } : {}) };
  }
  if (type === 'system_alert' && typeof message === 'string') {
    return { kind: 'alert', content: said(message) };
  }
  if (type === 'heartbeat' && typeof reason === 'string') {
    return { kind: 'heartbeat', content: said(text), reason };
  }
  // A login is not something the user said.
  return { kind: type === 'login' ? 'alert' : 'plain', content: said(text) };
}

/** A tool's result, and whether it succeeded, if the packed text says so. */
export function unpackReturn(text: string): { readonly content: string; readonly status?: boolean } {
  const { status, message } = parseObject(text);
  if ((status !== 'OK' && status !== 'Failed') || message === undefined) return { content: text };
  // As Python prints a missing value.
  const content = message === null ? 'None' : typeof message === 'string' ? message : JSON.stringify(message);
  return { content, status: status === 'OK' };
}

function parseObject(text: string): Record<string, unknown> {
  if (!text.trimStart().startsWith('{')) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
