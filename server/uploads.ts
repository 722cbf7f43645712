import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { RequestRefusedError } from './problems.js';

/** An uploaded file, on this machine's disk until `discard`. */
export interface Upload {
  /** Without folders; empty where the client gave none. */
  readonly name: string;
  readonly mediaType: string | null;
  /** In bytes. */
  readonly size: number;
  /** Its bytes, from the start each time. */
  readonly pieces: () => AsyncIterable<Buffer>;
  readonly discard: () => Promise<void>;
}

const pieceBytes = 1_048_576;
/** What the parts of a form take besides the file. */
const formBytes = 65_536;

/**
 * Takes the file of a multipart form, however large, with little memory. Throws RequestRefusedError: 413 above the
 * limit (at once, where the client says how much it sends), 415 for another kind of body, 422 without a file.
 */
export async function receiveUpload(request: FastifyRequest, limitMb: number): Promise<Upload> {
  const limit = limitMb * 1_048_576;
  if (!request.isMultipart()) {
    throw new RequestRefusedError(
      415,
      'The file must come as multipart/form-data, in a part named `file`: for example `curl -F file=@handbook.pdf …`.',
    );
  }
  if (Number(request.headers['content-length'] ?? 0) > limit + formBytes) throw tooLarge(limitMb);
  const part = await request.file({ limits: { fileSize: limit, files: 1 }, throwFileSizeLimit: false });
  if (part === undefined) {
    throw new RequestRefusedError(422, 'body.file: is missing. Send the file in a part named `file`.');
  }
  const directory = await mkdtemp(join(tmpdir(), `perdure-upload-${process.pid}-`));
  const discard = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    return { ...(await spool(part, join(directory, 'file'), limitMb)), discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function spool(part: MultipartFile, path: string, limitMb: number): Promise<Omit<Upload, 'discard'>> {
  await pipeline(part.file, createWriteStream(path, { mode: 0o600 }));
  if (part.file.truncated) throw tooLarge(limitMb);
  return {
    name: nameOf(part.filename),
    mediaType: part.mimetype === '' ? null : part.mimetype,
    size: (await stat(path)).size,
    pieces: () => createReadStream(path, { highWaterMark: pieceBytes }),
  };
}

/** The last part of a path of any system, without characters that no name holds. */
function nameOf(filename: string): string {
  const last = filename.split(/[/\\]/).at(-1) ?? '';
  // eslint-disable-next-line no-control-regex -- they are what is taken out
  return last.replace(/[\u0000-\u001f\u007f]/g, '').trim();
}

function tooLarge(limitMb: number): RequestRefusedError {
  return new RequestRefusedError(
    413,
    `The file is larger than the ${limitMb} MB that one may have. Split it, or raise PERDURE_FILE_LIMIT_MB on the server.`,
  );
}
