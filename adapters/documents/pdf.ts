import { getDocumentProxy } from 'unpdf';

/** The text of a PDF, page after page, with an empty line where a paragraph seems to end. */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  const document = await getDocumentProxy(bytes, { verbosity: 0, isEvalSupported: false });
  const pages: string[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    pages.push(pageText(items.filter((item) => 'str' in item)));
    // Frees what pdf.js keeps of the page.
    page.cleanup();
  }
  return pages.filter((page) => page !== '').join('\n\n');
}

interface TextItem {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly transform: readonly number[];
  readonly height: number;
}

function pageText(items: readonly TextItem[]): string {
  let text = '';
  let lastY: number | undefined;
  for (const { str, hasEOL, transform, height } of items) {
    const y = transform[5] ?? 0;
    const gap = lastY === undefined ? 0 : lastY - y;
    if (text.endsWith('\n') && str !== '' && gap > 1.7 * Math.max(height, 6)) text += '\n';
    text += str;
    if (str !== '') lastY = y;
    if (hasEOL) text += '\n';
  }
  return text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
