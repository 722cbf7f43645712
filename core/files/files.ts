/** Where a file is on its way to passages that can be searched. The last three are ends. */
export type FileState = 'pending' | 'parsing' | 'embedding' | 'completed' | 'failed' | 'cancelled';

/** Where the work on an uploaded file is. The last three are ends. */
export type JobState = 'created' | 'running' | 'completed' | 'failed' | 'cancelled';

/** What to do with a file whose name the source has already. */
export type DuplicateHandling = 'skip' | 'error' | 'suffix' | 'replace';

/** The name with which a file is told from another one of the same name: `report_(1).pdf`. */
export function suffixedName(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)}_(${number})${name.slice(dot)}` : `${name}_(${number})`;
}

/** Why a document has no text that could be searched. */
export type Unreadable =
  'empty' | 'encrypted' | 'broken' | 'no_text' | 'picture' | 'unknown_format' | 'too_large' | 'too_slow';

/** What the uploader reads where a document has no text: what is wrong, and what to do. */
export function unreadableSentence(reason: Unreadable): string {
  switch (reason) {
    case 'empty':
      return 'The file is empty. Upload one with text.';
    case 'encrypted':
      return 'The document is protected by a password. Remove the password and upload it again.';
    case 'broken':
      return 'The document is damaged and can’t be read. Open it in the program that made it, save it anew and upload that.';
    case 'no_text':
      return 'The document holds no text, only pictures perhaps. Run text recognition (OCR) over it and upload the result.';
    case 'picture':
      return 'The file is a picture, whatever its name says. Upload a PDF, Word, HTML, Markdown or text file.';
    case 'unknown_format':
      return 'The file is of no format that can be read. Upload a PDF, Word (.docx), HTML, Markdown or text file.';
    case 'too_large':
      return 'Reading the document takes more memory than there is for one. Split it into several files.';
    case 'too_slow':
      return 'Reading the document takes too long. Split it into several files, or save it as plain text.';
  }
}
