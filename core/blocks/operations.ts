import type { Block, BlockOperation } from './blocks.js';
import { placeNow, type SeenRevision, showChange } from './conflicts.js';
import { applyPatch } from './patches.js';
import { toLines } from './line-diff.js';
import { expandTabs } from './tabs.js';

/** Why an operation was refused. */
export type RefusalCode =
  'read_only' | 'too_long' | 'not_found' | 'ambiguous' | 'bad_line' | 'conflict' | 'gutted';

/** A block's new value, or a refusal with a message for the model: what went wrong and what to do. */
export type OperationOutcome =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly code: RefusalCode; readonly message: string };

type Current = Pick<Block, 'label' | 'value' | 'limit' | 'readOnly' | 'revision'>;

/** The block as it is, and what the operation's author knows of it. */
interface Target extends Current {
  /** The revision that the author last read, if it is known and outdated. */
  readonly seen?: SeenRevision | undefined;
}

/**
 * Applies an operation to a block's current value. Promises:
 * 1. A refused operation writes nothing. Its message says so or shows the current value.
 * 2. No operation makes a value longer than its limit. A value above a limit that was lowered may change as long as
 *    it doesn't grow.
 * 3. What the author read decides where an insert goes, and whether a missing text is a conflict.
 * 4. A read-only block refuses everything. A caller that acts for a user passes `readOnly: false`.
 */
export function applyOperation(block: Target, operation: BlockOperation): OperationOutcome {
  if (block.readOnly) {
    return refuse(
      'read_only',
      `This block is read-only and cannot be edited. Nothing was written to \`${block.label}\`; keep the information elsewhere.`,
    );
  }
  const outcome = changed(block, operation);
  return outcome.ok ? withinLimit(block, outcome.value) : outcome;
}

/** The length of a text as limits count it: in code points, so an emoji counts once. */
export function codePoints(text: string): number {
  return Array.from(text).length;
}

/** The generation of Letta's clients that sent a request. Defaults changed between them. */
export type ClientGeneration = '0.1' | '1';

/** The default limit of Letta's server at the time of each generation. */
const standardLimits: Readonly<Record<ClientGeneration, number>> = { '0.1': 20_000, '1': 100_000 };
const chatMemoryLimit = 2_000;

/**
 * The limit, in code points, of a block that was created without one. In generation 0.1, chat memory (`human`,
 * `persona`) has the 2,000 of MemGPT's documentation.
 */
export function defaultBlockLimit(label: string, generation: ClientGeneration = '0.1'): number {
  return generation === '0.1' && (label === 'human' || label === 'persona')
    ? chatMemoryLimit
    : standardLimits[generation];
}

/** The limit of a new block: the given one, else the default, raised where the value is longer. */
export function limitFor(value: string, given?: number, fallback: number = standardLimits['0.1']): number {
  return given ?? Math.max(fallback, codePoints(value));
}

/** The default description of a block with this label; null for labels without one. */
export function defaultDescription(label: string): string | null {
  switch (label) {
    case 'persona':
      return 'Who you are: your role, your character, how you speak and what you hold to. Keep to it so that you stay the same self, and refine it as you learn how you should be.';
    case 'human':
      return 'The person you talk with: name, facts, preferences, plans and what matters to them. Keep it current so that you know them.';
    default:
      return null;
  }
}

function changed(block: Target, operation: BlockOperation): OperationOutcome {
  switch (operation.kind) {
    case 'append':
      return accept(block.value === '' ? operation.content : `${block.value}\n${operation.content}`);
    case 'replace':
      return operation.all ? replaceAll(block, operation) : replaceOne(block, operation);
    case 'insert':
      return insertLine(block, operation);
    case 'patch':
      return patched(block, operation.patch);
    case 'rewrite':
      return operation.base === block.revision ? accept(operation.value) : conflict(block, operation.base);
    case 'set':
      return accept(operation.value);
  }
}

type Replacement = Extract<BlockOperation, { kind: 'replace' }>;

function replaceAll(block: Target, { old, new: replacement }: Replacement): OperationOutcome {
  if (old === '' && block.value === '') return accept(replacement);
  if (old === '' || !block.value.includes(old)) {
    return missing(block, old, `Old content '${old}' not found in memory block '${block.label}'.`);
  }
  return accept(block.value.split(old).join(replacement));
}

function replaceOne(block: Target, { old, new: replacement }: Replacement): OperationOutcome {
  if (old === '' && block.value === '') return accept(replacement);
  if (isNumbered(replacement) && !isNumbered(block.value)) return lineNumbers('new_string');
  const isVerbatim = block.value.includes(old);
  const value = isVerbatim ? block.value : expandTabs(block.value);
  const wanted = isVerbatim ? old : expandTabs(old);
  const places = wanted === '' ? [] : occurrences(value, wanted);
  const [only] = places;
  if (only === undefined) {
    if (isNumbered(old)) return lineNumbers('old_string');
    return missing(
      block,
      old,
      `No replacement was performed, old_string \`${old}\` did not appear verbatim in memory block with label \`${block.label}\`.`,
    );
  }
  if (places.length > 1) return ambiguous(value, wanted, places);
  return accept(value.slice(0, only) + replacement + value.slice(only + wanted.length));
}

function ambiguous(value: string, wanted: string, places: readonly number[]): OperationOutcome {
  const lines = [...new Set(places.map((place) => value.slice(0, place).split('\n').length))];
  return refuse(
    'ambiguous',
    `No replacement was performed. Multiple occurrences of old_string \`${wanted}\` in lines [${lines.join(', ')}]. Please ensure it is unique: quote more of the text around it.`,
  );
}

function occurrences(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) places.push(at);
  return places;
}

function insertLine(block: Target, operation: Extract<BlockOperation, { kind: 'insert' }>): OperationOutcome {
  const lines = toLines(block.value);
  const { content, line } = operation;
  // Line numbers are those of the revision that the author read. The lines may have moved since.
  const read = block.seen === undefined ? lines : toLines(block.seen.value);
  if (!Number.isInteger(line) || line < -1 || line > read.length) {
    return refuse(
      'bad_line',
      `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the memory block: [0, ${read.length}], or -1 for its end. Nothing was written.`,
    );
  }
  if (isNumbered(content) && !isNumbered(block.value)) return lineNumbers('new_string');
  const at = line === -1 ? lines.length : placeNow(read, lines, line);
  return accept([...lines.slice(0, at), content, ...lines.slice(at)].join('\n'));
}

function patched(block: Target, patch: string): OperationOutcome {
  if (isNumbered(unsigned(patch)) && !isNumbered(block.value)) return lineNumbers('patch');
  const outcome = applyPatch(block.value, patch);
  switch (outcome.kind) {
    case 'patched':
      return accept(outcome.value);
    case 'empty':
      return refuse(
        'not_found',
        `The patch has no hunk: no line of it begins with " ", "-" or "+". ${nothingWritten(block)}`,
      );
    case 'unreadable':
      return refuse(
        'bad_line',
        `The patch was not applied: every line must begin with " ", "-", "+" or "@@", and \`${outcome.line}\` does not. Nothing was written to \`${block.label}\`. Correct the line or leave it out.`,
      );
    case 'missing':
      return missing(
        block,
        outcome.expected,
        `The patch was not applied: memory block \`${block.label}\` does not contain these lines:\n${outcome.expected}\n(End of these lines.)`,
      );
    case 'ambiguous':
      return refuse(
        'ambiguous',
        `The patch was not applied: memory block \`${block.label}\` contains these lines more than once, starting at lines [${outcome.lines.join(', ')}]:\n${outcome.expected}\n(End of these lines.) Nothing was written. Quote more of the lines around them.`,
      );
  }
}

/** Removes the first column of each line. */
function unsigned(patch: string): string {
  return patch.replace(/^[ +-]/gm, '');
}

const numberedLine = /^\s*\d+→/m;

/** Whether each line begins with a line number, as some displays of a block add them. */
function isNumbered(text: string): boolean {
  return numberedLine.test(text);
}

function lineNumbers(argument: string): OperationOutcome {
  return refuse(
    'bad_line',
    `${argument} contains a line number prefix, which is not allowed. Do not include line numbers when calling memory tools (they are for display only). Nothing was written; call again without them.`,
  );
}

/**
 * The refusal where a text to replace is missing. It is a conflict if the author read the text before somebody else
 * removed it.
 */
function missing(block: Target, old: string, what: string): OperationOutcome {
  if (old === '' || block.seen?.value.includes(old) !== true)
    return refuse('not_found', `${what} ${nothingWritten(block)}`);
  return refuse(
    'conflict',
    `${what} Somebody else changed the block after you read it. ${showChange(block.seen, block)}${nothingWritten(block)} ${mergeAndCall}`,
  );
}

function conflict(block: Target, base: number): OperationOutcome {
  const change = block.seen === undefined ? '' : showChange(block.seen, block);
  return refuse(
    'conflict',
    `Memory block \`${block.label}\` was changed by somebody else after you read it (you read revision ${base}, it is at ${block.revision}). ${change}${nothingWritten(block)} ${mergeAndCall}`,
  );
}

const mergeAndCall = 'Merge your change into this value and call again.';

function withinLimit(block: Target, value: string): OperationOutcome {
  const size = codePoints(value);
  if (size <= block.limit || size <= codePoints(block.value)) return accept(value);
  return refuse(
    'too_long',
    `Edit failed: Exceeds ${block.limit} character limit (requested ${size}). Nothing was written to \`${block.label}\`, which has ${codePoints(block.value)} characters now. Shorten or drop what matters least and try again, or keep details in archival memory.`,
  );
}

function nothingWritten(block: Target): string {
  if (block.value === '') return 'Nothing was written. The block is empty.';
  return `Nothing was written. Its current value is:\n${block.value}\n(End of the current value.)`;
}

function accept(value: string): OperationOutcome {
  return { ok: true, value };
}

function refuse(code: RefusalCode, message: string): OperationOutcome {
  return { ok: false, code, message };
}
