/** A file as the context shows it. */
export type DirectoryFile =
  | { readonly status: 'closed'; readonly name: string }
  | {
      readonly status: 'open';
      readonly name: string;
      /** Numbered lines. */
      readonly text: string;
      readonly firstLine: number;
      readonly lastLine: number;
      /** Of the whole file. */
      readonly lines: number;
    };

/** A source as the context shows it. */
export interface Directory {
  readonly name: string;
  readonly description: string | null;
  readonly instructions: string | null;
  readonly files: readonly DirectoryFile[];
  /** Closed files that are not named. */
  readonly unnamed: number;
}

/** What the context says of an agent's sources; nothing where there are none. */
export function compileDirectories(
  directories: readonly Directory[],
  guard: (text: string) => string,
): string {
  if (directories.length === 0) return '';
  return [
    '<directories>',
    'Files that you can open, search and close with your file tools. What an open file shows is in your context; closed ones must be opened or searched:',
    ...directories.map((directory) => compileDirectory(directory, guard)),
    '</directories>',
  ].join('\n');
}

/** Tags that a text within the section must not be able to end. */
export const directoryTags = ['directories', 'directory', 'instructions', 'file'];

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
    ...(unnamed === 0 ? [] : [`(and ${unnamed} more closed files: search to find what is in them)`]),
    '</directory>',
  ].join('\n');
}

function compileFile(file: DirectoryFile, guard: (text: string) => string): string {
  const name = attribute(file.name);
  if (file.status === 'closed') return `<file status="closed" name="${name}"/>`;
  return [
    `<file status="open" name="${name}">`,
    `[Lines ${file.firstLine} to ${file.lastLine} of ${file.lines}]`,
    guard(file.text),
    '</file>',
  ].join('\n');
}

function attribute(text: string): string {
  return text.replaceAll('"', "'").replace(/[<>\r\n]/g, ' ');
}
