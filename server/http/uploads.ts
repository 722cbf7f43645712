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

const megabyte = 1_048_576;
const pieceBytes = megabyte;
/** The most bytes that a form's other parts may take. */
const formBytes = 65_536;

/** A form: one file, and the fields before and after it. */
export interface Form {
  readonly upload: Upload;
  readonly fields: Readonly<Record<string, string>>;
}

/** As `receiveUpload`, with the form's other fields. */
export async function receiveForm(request: FastifyRequest, limitMb: number): Promise<Form> {
  const fields: Record<string, string> = {};
  let upload: Upload | undefined;
  refuseForm(request, limitMb);
  try {
    for await (const part of request.parts(formLimits(limitMb))) {
      if (part.type === 'file') upload = await keep(part, limitMb);
      else if (typeof part.value === 'string') fields[part.fieldname] = part.value;
    }
  } catch (error) {
    await upload?.discard();
    throw asFormFault(error);
  }
  if (upload === undefined) throw noFile();
  return { upload, fields };
}

/**
 * Receives the file of a multipart form onto the disk, with little memory for any size. Throws RequestRefusedError: 413
 * above the limit (at once, where `content-length` says so), 415 for another kind of body, 422 without a file.
 */
export async function receiveUpload(request: FastifyRequest, limitMb: number): Promise<Upload> {
  refuseForm(request, limitMb);
  try {
    const part = await request.file(formLimits(limitMb));
    if (part === undefined) throw noFile();
    return await keep(part, limitMb);
  } catch (error) {
    throw asFormFault(error);
  }
}

/** The form's parser throws bare errors for a broken form, such as one without a boundary or an end. */
function asFormFault(error: unknown): unknown {
  const isBare = error instanceof Error && error.constructor === Error && !('code' in error);
  return isBare ? new RequestRefusedError(422, `body: is not a complete form (${error.message}).`) : error;
}

function refuseForm(request: FastifyRequest, limitMb: number): void {
  if (!request.isMultipart()) {
    throw new RequestRefusedError(
      415,
      'Send the file as multipart/form-data, in a part named `file`: for example `curl -F file=@handbook.pdf …`.',
    );
  }
  const limit = limitMb * megabyte + formBytes;
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limitMb);
}

function formLimits(limitMb: number) {
  return {
    limits: { fileSize: limitMb * megabyte, files: 1, fieldSize: formBytes },
    throwFileSizeLimit: false,
  };
}

function noFile(): RequestRefusedError {
  return new RequestRefusedError(422, 'body.file: is missing. Send the file in a form part named `file`.');
}

async function keep(part: MultipartFile, limitMb: number): Promise<Upload> {
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

/** The last part of a path of any operating system, without control characters. */
function nameOf(filename: string): string {
  const last = filename.split(/[/\\]/).at(-1) ?? '';
  // eslint-disable-next-line no-control-regex -- they are what is taken out
  return last.replace(/[\u0000-\u001f\u007f]/g, '').trim();
}

function tooLarge(limitMb: number): RequestRefusedError {
  return new RequestRefusedError(
    413,
    `The file is larger than ${limitMb} MB, the most that this server takes. Split it, or raise PERDURE_FILE_LIMIT_MB on the server.`,
  );
}
