import { randomBytes } from 'node:crypto';
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import { PDFDocument, PDFName, StandardFonts } from 'pdf-lib';

/** A PDF with these pages, each a list of lines; an empty one leaves a gap. */
export async function aPdf(pages: readonly (readonly string[])[]): Promise<Buffer> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const lines of pages) {
    const page = document.addPage();
    for (const [index, line] of lines.entries()) {
      if (line !== '') page.drawText(line, { x: 40, y: 800 - 16 * index, size: 11, font });
    }
  }
  return Buffer.from(await document.save());
}

/** A small PDF whose only page takes as many megabytes once it is unpacked, of bytes that no text comes of. */
export async function aSwollenPdf(megabytes: number): Promise<Buffer> {
  const document = await PDFDocument.create();
  const blanks = deflateSync(Buffer.alloc(megabytes * 1_048_576, ' '), { level: 1 });
  const contents = document.context.stream(blanks, { Filter: 'FlateDecode' });
  document.addPage().node.set(PDFName.of('Contents'), document.context.register(contents));
  return Buffer.from(await document.save());
}

/** A PDF that asks for a password nobody knows. */
export function anEncryptedPdf(): Buffer {
  const secret = (): string => `<${randomBytes(32).toString('hex')}>`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>',
    `<< /Filter /Standard /V 1 /R 2 /P -44 /O ${secret()} /U ${secret()} >>`,
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const id = randomBytes(16).toString('hex');
  return Buffer.from(
    `${text}xref\n0 5\n0000000000 65535 f \n${table}trailer\n<< /Size 5 /Root 1 0 R /Encrypt 4 0 R /ID [<${id}> <${id}>] >>\nstartxref\n${text.length}\n%%EOF\n`,
  );
}

/** A Word document with these paragraphs; one that begins with `# ` is a heading. */
export function aDocx(paragraphs: readonly string[]): Buffer {
  const body = paragraphs.map((paragraph) => {
    const isHeading = paragraph.startsWith('# ');
    const style = isHeading ? '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' : '';
    return `<w:p>${style}<w:r><w:t>${isHeading ? paragraph.slice(2) : paragraph}</w:t></w:r></w:p>`;
  });
  return aDocxOf(
    `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body.join('')}</w:body></w:document>`,
  );
}

/** A small Word document whose text takes as many megabytes once it is unpacked. */
export function aBomb(megabytes: number): Buffer {
  return aDocxOf(
    `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${'a '.repeat(megabytes * 524_288)}</w:t></w:r></w:p></w:body></w:document>`,
  );
}

function aDocxOf(document: string): Buffer {
  const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
  const types = 'http://schemas.openxmlformats.org/package/2006';
  return aZip({
    '[Content_Types].xml': `${xml}<Types xmlns="${types}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `${xml}<Relationships xmlns="${types}/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `${xml}${document}`,
  });
}

/** A ZIP archive of these entries. */
export function aZip(entries: Readonly<Record<string, string>>): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(entries)) {
    const raw = Buffer.from(text);
    const packed = deflateRawSync(raw);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32(raw), 0);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(raw.length, 8);
    const shared = Buffer.concat([Buffer.from([20, 0, 0, 0, 8, 0, 0, 0, 0, 0]), sizes, lengthsOf(name)]);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), shared, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), shared, place, Buffer.from(name)]));
    files.push(file);
    offset += file.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, list, Buffer.from('PK\x05\x06'), end]);
}

function lengthsOf(name: string): Buffer {
  const lengths = Buffer.alloc(4);
  lengths.writeUInt16LE(Buffer.byteLength(name), 0);
  return lengths;
}
