import { MissingError, NotFoundError, TakenError } from '../db/errors.js';

/** No source has this id or name. */
export class SourceNotFoundError extends MissingError {
  readonly idOrName: string;

  constructor(idOrName: string) {
    super(`Source ${idOrName} not found. List the sources (folders) to see which there are.`);
    this.idOrName = idOrName;
  }
}

/** A source's name is unique, because programs look sources up by it. */
export class SourceNameTakenError extends TakenError {
  constructor(name: string) {
    super(name, `A source named '${name}' already exists. Use that one, or choose another name.`);
  }
}

/** No such file. */
export class FileNotFoundError extends NotFoundError {
  constructor(fileId: string) {
    super('File', fileId, 'List the files of the source to see which there are.');
  }
}

/** The source has a file with this name, and the upload allows no duplicates. */
export class FileNameTakenError extends TakenError {
  constructor(name: string) {
    super(
      name,
      `A file named '${name}' already exists in the source. Upload it under another name, or set duplicate_handling to skip, suffix or replace.`,
    );
  }
}

/** No such job. */
export class JobNotFoundError extends NotFoundError {
  constructor(jobId: string) {
    super('Job', jobId, 'List the jobs to see which there are.');
  }
}
