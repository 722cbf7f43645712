import { ClashError, MissingError } from '../db/caller-errors.js';

/** No such source, by its id or its name. */
export class SourceNotFoundError extends MissingError {
  override readonly name = 'SourceNotFoundError';
  readonly idOrName: string;

  constructor(idOrName: string) {
    super(`Source ${idOrName} not found. List the sources (folders) to see which there are.`);
    this.idOrName = idOrName;
  }
}

/** A source's name is its own: programs look sources up by it. */
export class SourceNameTakenError extends ClashError {
  override readonly name = 'SourceNameTakenError';
  readonly taken: string;

  constructor(taken: string) {
    super(`There is a source named '${taken}' already. Use that one, or choose another name.`);
    this.taken = taken;
  }
}

/** No such file. */
export class FileNotFoundError extends MissingError {
  override readonly name = 'FileNotFoundError';
  readonly fileId: string;

  constructor(fileId: string) {
    super(`File with ID ${fileId} not found. List the files of the source to see which there are.`);
    this.fileId = fileId;
  }
}

/** A file of this name is in the source, and its uploader did not want another. */
export class FileNameTakenError extends ClashError {
  override readonly name = 'FileNameTakenError';
  readonly taken: string;

  constructor(taken: string) {
    super(
      `A file named '${taken}' already exists in the source. Upload under another name, or with duplicate_handling skip, suffix or replace.`,
    );
    this.taken = taken;
  }
}

/** No such job. */
export class JobNotFoundError extends MissingError {
  override readonly name = 'JobNotFoundError';
  readonly jobId: string;

  constructor(jobId: string) {
    super(`Job with ID ${jobId} not found. List the jobs to see which there are.`);
    this.jobId = jobId;
  }
}
