import type { Unreadable } from '../../core/files/files.js';
import { decodeText, type Format, formatOf } from './format.js';

/**
 * The text of a document, as Markdown where it has a structure, with line feeds. Call it in a process that may be
 * killed: parsers hang on some documents and use up all memory on others.
 */
export async function documentText(
  bytes: Buffer,
  name: string,
): Promise<string | { readonly unreadable: Unreadable }> {
  const format = formatOf(bytes, name);
  if (typeof format !== 'string') return format;
  const text = await textOf(format, bytes).catch(toUnreadable);
  if (typeof text !== 'string') return text;
  const clean = text
    .replace(/\r\n?/g, '\n')
    .replace(/\f/g, '\n\n')
    .replace(/^\uFEFF/, '');
  if (clean.trim() === '') return { unreadable: format === 'text' ? 'empty' : 'no_text' };
  return clean;
}

async function textOf(format: Format, bytes: Buffer): Promise<string> {
  switch (format) {
    case 'pdf':
      return (await import('./pdf.js')).pdfText(new Uint8Array(bytes));
    case 'docx': {
      const { default: mammoth } = await import('mammoth');
      return markdownOf((await mammoth.convertToHtml({ buffer: bytes })).value);
    }
    case 'html':
      return markdownOf(decodeText(bytes) ?? '');
    case 'text':
      return decodeText(bytes) ?? '';
  }
}

// Each reader is loaded where a document needs it: all are optional packages.
async function markdownOf(html: string): Promise<string> {
  const { NodeHtmlMarkdown } = await import('node-html-markdown');
  return NodeHtmlMarkdown.translate(html, { ignore: ['img', 'svg', 'noscript', 'template', 'iframe'] });
}

function toUnreadable(error: unknown): { readonly unreadable: Unreadable } {
  const isEncrypted = error instanceof Error && error.name === 'PasswordException';
  return { unreadable: isEncrypted ? 'encrypted' : 'broken' };
}
