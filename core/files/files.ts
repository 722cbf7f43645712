/** The progress of a file from upload to searchable passages. The last three states are final. */
export type FileState = 'pending' | 'parsing' | 'embedding' | 'completed' | 'failed' | 'cancelled';

/** The progress of the work on an uploaded file. The last three states are final. */
export type JobState = 'created' | 'running' | 'completed' | 'failed' | 'cancelled';

/** What to do with an upload whose name the source already has. */
export type DuplicateHandling = 'skip' | 'error' | 'suffix' | 'replace';

/** A name that tells a file from another one of the same name: `report_(1).pdf`. */
export function suffixedName(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)}_(${number})${name.slice(dot)}` : `${name}_(${number})`;
}

/** Why a document has no searchable text. */
export type Unreadable =
  'empty' | 'encrypted' | 'broken' | 'no_text' | 'picture' | 'unknown_format' | 'too_large' | 'too_slow';

/** Tells the uploader why a document has no text, and what to do. */
export function unreadableSentence(reason: Unreadable): string {
  switch (reason) {
    case 'empty':
      return 'The file is empty. Upload one with text.';
    case 'encrypted':
      return 'The document is protected by a password. Remove the password and upload it again.';
    case 'broken':
      return 'The document is damaged and can’t be read. Open it in the program that made it, save it again and upload that.';
    case 'no_text':
      return 'The document has no text. It may be a scan: run text recognition (OCR) over it and upload the result.';
    case 'picture':
      return 'The file is an image, whatever its name says. Upload a PDF, Word, HTML, Markdown or text file.';
    case 'unknown_format':
      return 'The format of the file is not supported. Upload a PDF, Word (.docx), HTML, Markdown or text file.';
    case 'too_large':
      return 'Reading the document takes more memory than one document may use. Split it into several files.';
    case 'too_slow':
      return 'Reading the document takes too long. Split it into several files, or save it as plain text.';
  }
}
