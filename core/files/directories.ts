import { codePoints } from '../blocks/operations.js';

/** A file as the context shows it. */
export type DirectoryFile =
  | { readonly status: 'closed'; readonly name: string }
  | {
      readonly status: 'open';
      readonly name: string;
      /** The shown part: a line that says which part it is, then numbered lines. */
      readonly text: string;
      /** The most characters that it may show. */
      readonly limit: number;
    };

/** A source as the context shows it. */
export interface Directory {
  readonly name: string;
  readonly description: string | null;
  readonly instructions: string | null;
  readonly files: readonly DirectoryFile[];
  /** The number of closed files that are not listed. */
  readonly unnamed: number;
}

/** An agent's sources, and how many of their files it may open at once. */
export interface Directories {
  readonly sources: readonly Directory[];
  /** Null: unknown, because the agent has not opened any. */
  readonly mostOpen: number | null;
}

/** The sources as a section of the context, in Letta's format; empty where there are none. */
export function compileDirectories(
  { sources, mostOpen }: Directories,
  guard: (text: string) => string,
): string {
  if (sources.length === 0) return '';
  const open = sources.flatMap(({ files }) => files).filter(({ status }) => status === 'open');
  return [
    '<directories>',
    '<file_limits>',
    `- current_files_open=${open.length}`,
    ...(mostOpen === null ? [] : [`- max_files_open=${mostOpen}`]),
    '</file_limits>',
    ...sources.map((directory) => compileDirectory(directory, guard)),
    '</directories>',
  ].join('\n');
}

/** Tags that a text within the section must not be able to close. */
export const directoryTags = ['directories', 'file_limits', 'directory', 'instructions', 'file'];

function compileDirectory(directory: Directory, guard: (text: string) => string): string {
  const { name, description, instructions, files, unnamed } = directory;
  return [
    `<directory name="${attribute(name)}">`,
    ...(description === null || description === ''
      ? []
      : [`<description>${guard(description)}</description>`]),
    ...(instructions === null || instructions === ''
      ? []
      : [`<instructions>${guard(instructions)}</instructions>`]),
    ...files.map((file) => compileFile(file, guard)),
    ...(unnamed === 0 ? [] : [`(and ${unnamed} more closed files: search to find their contents)`]),
    '</directory>',
  ].join('\n');
}

function compileFile(file: DirectoryFile, guard: (text: string) => string): string {
  const name = attribute(file.name);
  if (file.status === 'closed') return `<file status="closed" name="${name}">\n</file>`;
  return [
    `<file status="open" name="${name}">`,
    '<metadata>',
    '- read_only=true',
    `- chars_current=${codePoints(file.text)}`,
    `- chars_limit=${file.limit}`,
    '</metadata>',
    '<value>',
    guard(file.text),
    '</value>',
    '</file>',
  ].join('\n');
}

function attribute(text: string): string {
  return text.replaceAll('"', "'").replace(/[<>\r\n]/g, ' ');
}
