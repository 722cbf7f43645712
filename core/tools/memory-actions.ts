import { isPatchMark } from '../blocks/patches.js';
import type { BlockOperation } from '../blocks/blocks.js';

/** An action on core memory. Labels are those of the agent's own blocks. */
export type MemoryAction =
  /** `label` null: all blocks. */
  | { readonly kind: 'view'; readonly label: string | null }
  | {
      readonly kind: 'create';
      readonly label: string;
      readonly value: string;
      readonly description: string | undefined;
    }
  | { readonly kind: 'edit'; readonly label: string; readonly operation: BlockOperation }
  | { readonly kind: 'delete'; readonly label: string }
  | { readonly kind: 'rename'; readonly label: string; readonly to: string }
  | { readonly kind: 'describe'; readonly label: string; readonly description: string };

/** The actions that a call asks for, in order; or a message for the model that says why they can't be read. */
export type ActionsOutcome =
  | { readonly ok: true; readonly actions: readonly MemoryAction[] }
  | { readonly ok: false; readonly message: string };

/** Commands of the tool `memory`. */
export const memoryCommands = ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'] as const;

type Command = (typeof memoryCommands)[number];
type Args = Readonly<Record<string, unknown>>;

/** Reads the arguments of the tool `memory`. A block's path is `/memories/` and its label. */
export function readMemoryCommand(args: Args): ActionsOutcome {
  const command = memoryCommands.find((name) => name === args['command']);
  if (command === undefined) {
    return refuse(
      `There is no command '${String(args['command'])}'. Use one of: ${memoryCommands.join(', ')}.`,
    );
  }
  const describes = command === 'rename' && (textOf(args, 'old_path') ?? '') === '';
  const needed = describes ? ['path', 'description'] : neededBy[command];
  const missing = needed.filter((name) => isMissing(args, name));
  if (missing.length > 0) {
    const also = describes ? ' (or old_path and new_path, to change its label)' : '';
    return refuse(`The command ${command} needs ${missing.join(' and ')}${also}. Nothing was changed.`);
  }
  const action = describes ? describing(args) : toAction(command, args);
  const label = action.kind === 'rename' ? action.to : action.label;
  if (label === '' || (action.kind !== 'view' && action.label === '')) {
    return refuse('The path names no memory block: write /memories/ and its label. Nothing was changed.');
  }
  return { ok: true, actions: [action] };
}

const neededBy: Readonly<Record<Command, readonly string[]>> = {
  view: [],
  create: ['path'],
  str_replace: ['path', 'old_string', 'new_string'],
  insert: ['path', 'insert_text'],
  delete: ['path'],
  rename: ['old_path', 'new_path'],
};

function toAction(command: Command, args: Args): MemoryAction {
  const text = (name: string) => textOf(args, name) ?? '';
  const label = labelOf(text('path'));
  switch (command) {
    case 'view':
      return { kind: 'view', label: label === '' ? null : label };
    case 'create':
      return { kind: 'create', label, value: text('file_text'), description: textOf(args, 'description') };
    case 'str_replace': {
      const operation = { old: text('old_string'), new: text('new_string'), all: false };
      return { kind: 'edit', label, operation: { kind: 'replace', ...operation } };
    }
    case 'insert': {
      const line = args['insert_line'];
      const operation = { content: text('insert_text'), line: typeof line === 'number' ? line : -1 };
      return { kind: 'edit', label, operation: { kind: 'insert', ...operation } };
    }
    case 'delete':
      return { kind: 'delete', label };
    case 'rename':
      return { kind: 'rename', label: labelOf(text('old_path')), to: labelOf(text('new_path')) };
  }
}

function describing(args: Args): MemoryAction {
  const [path = '', description = ''] = [textOf(args, 'path'), textOf(args, 'description')];
  return { kind: 'describe', label: labelOf(path), description };
}

/** The label in a path; empty for the root. A bare label is accepted too. */
function labelOf(path: string): string {
  return path
    .trim()
    .replace(/^\/?memories(?:\/|$)/, '')
    .replace(/^\//, '')
    .replace(/\/$/, '');
}

/** For `rename`, an empty path counts as missing: models fill in every argument that they see. */
function isMissing(args: Args, name: string): boolean {
  const text = textOf(args, name);
  return text === undefined || (text === '' && (name === 'old_path' || name === 'new_path'));
}

function textOf(args: Args, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Reads the arguments of the tool `memory_apply_patch`: a patch of the block `label`, or sections that begin with
 * `*** Add Block:`, `*** Delete Block:`, `*** Update Block:` or `*** Move to:`. Lines before the first section belong
 * to `label`. No line is ignored.
 */
export function readMemoryPatch(label: string, patch: string): ActionsOutcome {
  const { own, sections } = toSections(patch);
  const isOwn = sections.length === 0 || own.some((line) => line.trim() !== '');
  if (isOwn && label.trim() === '')
    return refuse('The patch names no memory block: give its label. Nothing was changed.');
  const stray = sections.flatMap(strayLines)[0];
  if (stray !== undefined) return refuse(stray);
  const ownPatch = sections.length === 0 ? patch : own.join('\n');
  const actions: MemoryAction[] = isOwn
    ? [{ kind: 'edit', label: label.trim(), operation: { kind: 'patch', patch: ownPatch } }]
    : [];
  let last: string | undefined;
  for (const { verb, label: target, body } of sections) {
    if (target === '') return refuse(`*** ${verb}: names no memory block. Nothing was changed.`);
    if (verb !== 'Move to') actions.push(ofSection(verb, target, body));
    else if (last === undefined) {
      return refuse('*** Move to: must follow the section of the block that it moves. Nothing was changed.');
    } else actions.push({ kind: 'rename', label: last, to: target });
    last = verb === 'Delete Block' ? undefined : target;
  }
  // An update without lines only introduces the move that follows it.
  const wanted = sections.length === 0 ? actions : actions.filter((action) => !isIdle(action));
  return wanted.length === 0 ? refuse('The patch changes nothing.') : { ok: true, actions: wanted };
}

const header = /^\*\*\* (Add Block|Delete Block|Update Block|Move to):(.*)$/;

type Verb = 'Add Block' | 'Delete Block' | 'Update Block' | 'Move to';

interface Section {
  readonly verb: Verb;
  readonly label: string;
  readonly body: readonly string[];
}

/** Splits a patch into sections, and the lines before the first one. */
function toSections(patch: string): {
  readonly own: readonly string[];
  readonly sections: readonly Section[];
} {
  const own: string[] = [];
  const sections: { verb: Verb; label: string; body: string[] }[] = [];
  for (const line of patch.split(/\r?\n/).filter((one) => !isPatchMark(one))) {
    const found = header.exec(line);
    if (found !== null) sections.push({ verb: found[1] as Verb, label: (found[2] ?? '').trim(), body: [] });
    // Lines after a move belong to the moved block, as if they came before the move.
    else (sections.findLast(({ verb }) => verb !== 'Move to')?.body ?? own).push(line);
  }
  return { own, sections };
}

/** The lines that a section may not have. The lines of an update are checked when it is applied. */
function strayLines({ verb, label, body }: Section): readonly string[] {
  const lines = (description.test(body[0] ?? '') ? body.slice(1) : body).filter((line) => line.trim() !== '');
  if (verb === 'Delete Block' && body.some((line) => line.trim() !== ''))
    return [
      `*** Delete Block: ${label} must not be followed by \`${body.join('\n').trim()}\`: it takes no lines. Nothing was changed.`,
    ];
  const stray = verb === 'Add Block' ? lines.find((line) => !line.startsWith('+')) : undefined;
  return stray === undefined
    ? []
    : [
        `Each line of *** Add Block: ${label} must begin with "+", but \`${stray}\` does not. Nothing was changed.`,
      ];
}

const description = /^Description:(.*)$/;

function ofSection(verb: Exclude<Verb, 'Move to'>, label: string, body: readonly string[]): MemoryAction {
  switch (verb) {
    case 'Delete Block':
      return { kind: 'delete', label };
    case 'Update Block':
      return { kind: 'edit', label, operation: { kind: 'patch', patch: body.join('\n') } };
    case 'Add Block': {
      const described = description.exec(body[0] ?? '')?.[1]?.trim();
      const lines = described === undefined ? body : body.slice(1);
      const value = lines
        .map((line) => line.slice(1))
        .join('\n')
        .replace(/\n+$/, '');
      return { kind: 'create', label, value, description: described };
    }
  }
}

function isIdle(action: MemoryAction): boolean {
  return action.kind === 'edit' && action.operation.kind === 'patch' && action.operation.patch.trim() === '';
}

function refuse(message: string): ActionsOutcome {
  return { ok: false, message };
}
