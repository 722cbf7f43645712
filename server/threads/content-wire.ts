import { z } from 'zod';
import type { ContentPart } from '../../core/models/model.js';

const textPart = z.object({ type: z.literal('text'), text: z.string() });
const imagePart = z.object({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.object({ type: z.literal('url'), url: z.string() }),
    z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  ]),
});

const contentPart = z.discriminatedUnion('type', [textPart, imagePart]);

/** The content of a message or of a tool's result: a text, or parts. */
export const content = z.union([z.string(), z.array(contentPart)]);

export type WireContent = z.infer<typeof content>;

/** Parts in the runtime's form. */
export function fromContentParts(given: Exclude<WireContent, string>): ContentPart[] {
  return given.map((part): ContentPart => {
    if (part.type === 'text') return part;
    const { source } = part;
    const url = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`;
    return { type: 'image', url };
  });
}

/** A text if all parts are texts, else parts. */
export function toWireContent(parts: readonly ContentPart[]): WireContent {
  if (parts.every((part) => part.type === 'text')) return joinText(parts);
  return parts.map((part) =>
    part.type === 'text' ? part : { type: 'image' as const, source: toImageSource(part.url) },
  );
}

/** A tool's result: its text, followed by its images where it has any. */
export function toWireReturn({
  content: text,
  images = [],
}: {
  readonly content: string;
  readonly images?: readonly string[];
}): WireContent {
  return toWireContent([
    ...(text === '' && images.length > 0 ? [] : [{ type: 'text' as const, text }]),
    ...images.map((url) => ({ type: 'image' as const, url })),
  ]);
}

/** A tool's result as the runtime keeps it: its text and its images. */
export function fromWireReturn(returned: WireContent): {
  readonly content: string;
  readonly images?: readonly string[];
} {
  if (typeof returned === 'string') return { content: returned };
  const parts = fromContentParts(returned);
  const images = parts.flatMap((part) => (part.type === 'image' ? [part.url] : []));
  return { content: joinText(parts), ...(images.length === 0 ? {} : { images }) };
}

export function toImageSource(url: string): z.infer<typeof imagePart>['source'] {
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  const [, mediaType, data] = inline ?? [];
  if (mediaType === undefined || data === undefined) return { type: 'url', url };
  return { type: 'base64', media_type: mediaType, data };
}

export function joinText(parts: readonly ContentPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
