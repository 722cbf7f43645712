import { isUtf8 } from 'node:buffer';
import type { Unreadable } from '../../core/files/files.js';

/** The format of a document, by its content. */
export type Format = 'pdf' | 'docx' | 'html' | 'text';

/** The format of a file, or why it can't be read. The name only distinguishes HTML from other text. */
export function formatOf(bytes: Buffer, name: string): Format | { readonly unreadable: Unreadable } {
  if (bytes.length === 0) return { unreadable: 'empty' };
  // Some programs write a few lines before the beginning of a PDF.
  if (bytes.subarray(0, 1_024).includes('%PDF-')) return 'pdf';
  if (bytes.subarray(0, 4).equals(zip)) return wordOf(bytes);
  // The container of Office files before 2007 and of encrypted Word documents.
  if (bytes.subarray(0, 8).equals(compound)) {
    return { unreadable: bytes.includes(encryptedPackage) ? 'encrypted' : 'unknown_format' };
  }
  if (pictures.some((picture) => picture(bytes))) return { unreadable: 'picture' };
  const text = decodeText(bytes);
  if (text === undefined) return { unreadable: 'unknown_format' };
  const head = text.slice(0, 2_000);
  return /^\s*(<!--[\s\S]*?-->\s*)*<(!doctype html|html|head|body)\b/i.test(head) || /\.html?$/i.test(name)
    ? 'html'
    : 'text';
}

/** A text file's text, by its byte order mark, else as UTF-8, else as Windows-1252; undefined for other files. */
export function decodeText(bytes: Buffer): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decode(bytes, 'utf-16le');
  if (first === 0xfe && second === 0xff) return decode(bytes, 'utf-16be');
  // Control characters other than these mean binary data.
  const sample = bytes.subarray(0, 65_536);
  if (sample.some((byte) => byte < 0x20 && !allowedControls.has(byte))) return undefined;
  return decode(bytes, isUtf8(bytes) ? 'utf-8' : 'windows-1252');
}

function decode(bytes: Buffer, encoding: string): string {
  return new TextDecoder(encoding).decode(bytes);
}

function wordOf(bytes: Buffer): Format | { readonly unreadable: Unreadable } {
  // The names of an archive's entries are not compressed.
  return bytes.includes('word/document.xml') ? 'docx' : { unreadable: 'unknown_format' };
}

const zip = Buffer.from([0x50, 0x4b, 0x03, 0x04]);
const compound = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le');
/** Tab, line feed, vertical tab, form feed, carriage return, escape (terminals' logs). */
const allowedControls: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b]);

const startsWith = (...start: readonly number[]) => {
  const wanted = Buffer.from(start);
  return (bytes: Buffer): boolean => bytes.subarray(0, wanted.length).equals(wanted);
};

const pictures: readonly ((bytes: Buffer) => boolean)[] = [
  startsWith(0x89, 0x50, 0x4e, 0x47),
  startsWith(0xff, 0xd8, 0xff),
  startsWith(0x47, 0x49, 0x46, 0x38),
  // A text may begin with the letters BM too, but a bitmap's header continues with zeros.
  (bytes) => bytes.subarray(0, 2).equals(bitmap) && bytes.subarray(6, 10).every((byte) => byte === 0),
  startsWith(0x49, 0x49, 0x2a, 0x00),
  startsWith(0x4d, 0x4d, 0x00, 0x2a),
  (bytes) => bytes.subarray(0, 4).equals(riff) && bytes.subarray(8, 12).equals(webp),
  (bytes) => bytes.subarray(4, 8).equals(isoMedia),
];
const bitmap = Buffer.from('BM');
const riff = Buffer.from('RIFF');
const webp = Buffer.from('WEBP');
const isoMedia = Buffer.from('ftyp');
