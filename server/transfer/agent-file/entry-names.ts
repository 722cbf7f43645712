/** The ids of entries in an agent file: `agent-0`, `block-0`, … in the order in which they are first used. */
export interface FileNames {
  /** The file's id for a thing; always the same one. */
  name(kind: NamedKind, id: string): string;
  /** A new id for something that has none of its own. */
  next(kind: NamedKind): string;
  /** The id that a thing has been given so far; undefined where it has none. */
  known(kind: NamedKind, id: string): string | undefined;
}

type NamedKind = 'agent' | 'block' | 'tool' | 'source' | 'file' | 'archive' | 'group' | 'message' | 'passage';

/** Ids for one file. They don't depend on stored ids, so copies of an agent give equal files. */
export function createFileNames(): FileNames {
  const counts = new Map<NamedKind, number>();
  const names = new Map<string, string>();
  const next: FileNames['next'] = (kind) => {
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    return `${kind}-${count}`;
  };
  return {
    next,
    known: (kind, id) => names.get(`${kind} ${id}`),
    name(kind, id) {
      const key = `${kind} ${id}`;
      const name = names.get(key) ?? next(kind);
      names.set(key, name);
      return name;
    },
  };
}
