import { z } from 'zod';
import type { McpAnswer } from './mcp-server.js';

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  uri: z.string().optional(),
  mimeType: z.string().optional(),
  resource: z.looseObject({ uri: z.string().optional(), text: z.string().optional() }).optional(),
});

const result = z.looseObject({
  content: z.array(part).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

/** A call's result as text for the model. Other contents are only named, because a model can't be shown them here. */
export function readMcpResult(answer: unknown): McpAnswer {
  const { content, structuredContent, isError = false } = result.parse(answer);
  const texts = content.map(toText).filter((text) => text !== '');
  const text =
    texts.length === 0 && structuredContent !== undefined
      ? JSON.stringify(structuredContent)
      : texts.join('\n');
  return { ok: !isError, text: text === '' ? 'Done. The tool returned nothing.' : text };
}

function toText(one: z.infer<typeof part>): string {
  switch (one.type) {
    case 'text':
      return one.text ?? '';
    case 'resource':
      return one.resource?.text ?? `[resource ${one.resource?.uri ?? ''}]`;
    case 'resource_link':
      return `[resource ${one.uri ?? ''}]`;
    default:
      return `[${one.type}${one.mimeType === undefined ? '' : `, ${one.mimeType}`}]`;
  }
}
