/** What a call of one of the memory tools changes, as lines taken away and added. */
export interface MemoryEdit {
  readonly label: string;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** The edit that a call's arguments ask for; undefined where the call is of another tool, or not yet whole. */
export function toMemoryEdit(name: string, callArguments: string): MemoryEdit | undefined {
  if (!/^(core_memory_|memory_)/.test(name)) return undefined;
  const given = parse(callArguments);
  const text = (field: string): string[] => {
    const value = given?.[field];
    return typeof value === 'string' && value !== '' ? value.split('\n') : [];
  };
  const [label] = [...text('label'), ...text('path')];
  if (given === undefined || label === undefined) return undefined;
  const removed = [...text('old_content'), ...text('old_str'), ...text('old_string')];
  const added = [
    ...text('content'),
    ...text('new_content'),
    ...text('new_str'),
    ...text('new_string'),
    ...text('new_memory'),
    ...text('insert_text'),
  ];
  return removed.length + added.length === 0 ? undefined : { label, removed, added };
}

function parse(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
