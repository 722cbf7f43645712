/** Limits on an agent's open files. */
export interface FileLimits {
  /** Files open at once. */
  readonly files: number;
  /** Characters shown of each. */
  readonly characters: number;
}

/** Letta's limits, which depend on the context window in tokens. */
export function fileLimits(contextWindow: number): FileLimits {
  if (contextWindow <= 8_000) return { files: 3, characters: 5_000 };
  if (contextWindow <= 32_000) return { files: 5, characters: 15_000 };
  if (contextWindow <= 128_000) return { files: 10, characters: 25_000 };
  if (contextWindow <= 200_000) return { files: 10, characters: 40_000 };
  return { files: 15, characters: 40_000 };
}

/** The shown part of an open file: numbered lines within the limit of characters, and which lines they are. */
export interface FileWindow {
  readonly text: string;
  readonly firstLine: number;
  readonly lastLine: number;
}

/** Cuts a window out of a file's lines. The first line is cut if it alone is too long. */
export function cutWindow(
  lines: readonly string[],
  { firstLine, characters }: { readonly firstLine: number; readonly characters: number },
): FileWindow {
  const shown: string[] = [];
  let room = characters;
  for (const [index, line] of lines.entries()) {
    const numbered = `${firstLine + index}: ${line}`;
    if (numbered.length + 1 > room) {
      if (index === 0) shown.push(`${numbered.slice(0, room)} […]`);
      break;
    }
    shown.push(numbered);
    room -= numbered.length + 1;
  }
  return { text: shown.join('\n'), firstLine, lastLine: firstLine + Math.max(0, shown.length - 1) };
}

/** The window's text below a line that says which part of the file it shows, in Letta's words. */
export function describeWindow(
  { text, firstLine, lastLine }: FileWindow,
  file: { readonly lines: number; readonly lineCount: number | null },
): string {
  const ofAll = `(out of ${file.lines} lines)`;
  if (file.lineCount === null && firstLine === 1) return `[Viewing file start ${ofAll}]\n${text}`;
  return `[Viewing lines ${firstLine} to ${lastLine} ${ofAll}]\n${text}`;
}

/** An open file, with the time it was last opened. */
export interface OpenFile {
  readonly fileId: string;
  readonly openedAt: Date;
}

/** Which open files to close for those being opened: the ones opened longest ago. */
export function filesToClose(open: readonly OpenFile[], opening: readonly string[], limit: number): string[] {
  const others = open
    .filter((file) => !opening.includes(file.fileId))
    .sort((a, b) => a.openedAt.getTime() - b.openedAt.getTime());
  const excess = others.length + opening.length - limit;
  return others.slice(0, Math.max(0, excess)).map((file) => file.fileId);
}
