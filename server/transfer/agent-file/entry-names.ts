/** The names of things in an agent file: `agent-0`, `block-0`, … in the order in which they are first named. */
export interface FileNames {
  /** The name of a thing, always the same one. */
  name(kind: NamedKind, id: string): string;
  /** Another name for something that has no id of its own. */
  next(kind: NamedKind): string;
  /** The name that a thing has been given; undefined where it has none. */
  known(kind: NamedKind, id: string): string | undefined;
}

type NamedKind = 'agent' | 'block' | 'tool' | 'source' | 'file' | 'archive' | 'group' | 'message' | 'passage';

/** Names for one file. They don't depend on ids, so that copies of an agent come out alike. */
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
