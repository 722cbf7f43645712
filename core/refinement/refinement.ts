import { codePoints } from '../blocks/operations.js';

/** What started a refinement. */
export type RefinementCause = 'turns' | 'eviction' | 'hand' | 'schedule';

/**
 * The state of a refinement. `in_review`: its edits wait for approval. `completed`: its edits are merged, except
 * conflicting ones. `rejected`: somebody rejected them. `failed`: nothing was merged, and the next refinement
 * processes its messages again.
 */
export type RefinementState = 'running' | 'in_review' | 'completed' | 'rejected' | 'failed';

/** Why the partner stopped: it finished, used up its steps or tokens, or its turn failed. */
export type RefinementEnd = 'finished' | 'steps' | 'tokens' | 'error';

/** A text that a partner works into the memory. */
export interface RefinementDocument {
  readonly name: string;
  readonly text: string;
}

/** Blocks below this size, in code points, may shrink freely. */
const smallBlock = 200;

/**
 * Why a block may not become `after`, as a text for the partner; null where it may. A block is never emptied, and
 * keeps at least `minKeptShare` of the characters that it had when the refinement began.
 */
export function refusalToGut(edit: {
  readonly label: string;
  readonly before: string;
  readonly after: string;
  readonly minKeptShare: number;
}): string | null {
  const { label, before, after, minKeptShare } = edit;
  if (before.trim() !== '' && after.trim() === '') {
    return `This would leave memory block \`${label}\` empty, so it was refused. Nothing was written. Keep what is still true, and remove only what is wrong or outdated.`;
  }
  const [had, left] = [codePoints(before), codePoints(after)];
  const least = Math.ceil(had * minKeptShare);
  if (had < smallBlock || left >= least) return null;
  return `This would leave ${left} of the ${had} characters of memory block \`${label}\`, but a refinement must keep at least ${least}. Nothing was written. Condense less: keep what is still true, and remove only what is wrong, outdated or repeated.`;
}

/** How many tokens a model call of a refinement may use. */
export type BudgetGrant =
  | { readonly kind: 'granted'; readonly reserved: number; readonly maxOutput: number }
  | { readonly kind: 'exhausted' };

/** A shorter answer is not worth its prompt. */
const leastOutput = 128;

/** The longest answer where neither the agent nor the budget sets less. */
const usualOutput = 4_096;

/**
 * Grants the next call tokens, which are reserved before the call: its prompt and the longest answer it may get.
 * `committed + reserved` never exceeds `limit`.
 */
export function grantTokens(call: {
  readonly limit: number;
  /** Tokens spent by answered calls, and reserved by calls whose outcome is unknown. */
  readonly committed: number;
  readonly promptTokens: number;
  readonly maxOutput: number | undefined;
}): BudgetGrant {
  const room = call.limit - call.committed - call.promptTokens;
  const maxOutput = Math.min(call.maxOutput ?? usualOutput, room);
  if (maxOutput < Math.min(leastOutput, call.maxOutput ?? leastOutput)) return { kind: 'exhausted' };
  return { kind: 'granted', reserved: call.promptTokens + maxOutput, maxOutput };
}

/** Tokens of transcript or document that one refinement takes in. The partner reads them again at every step. */
export function inputTokens(bounds: { readonly window: number; readonly maxTokens: number }): number {
  return Math.max(500, Math.floor(Math.min(bounds.window * 0.3, bounds.maxTokens / 10)));
}

/** Splits a document into parts of at most `size` characters, between paragraphs, lines or words if possible. */
export function splitText(text: string, size: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > size) {
    const head = rest.slice(0, size);
    const cut =
      ['\n\n', '\n', ' '].map((mark) => head.lastIndexOf(mark) + 1).find((at) => at > size / 2) ?? size;
    // Never splits a surrogate pair.
    const isHalf = /[\uD800-\uDBFF]/.test(rest.charAt(cut - 1));
    parts.push(rest.slice(0, isHalf ? cut - 1 : cut));
    rest = rest.slice(isHalf ? cut - 1 : cut);
  }
  return rest.trim() === '' && parts.length > 0 ? parts : [...parts, rest];
}

/** Asks the partner to process a stretch of the conversation. */
export function transcriptTask(task: {
  readonly agentName: string;
  readonly conversations: readonly { readonly name: string | null; readonly transcript: string }[];
  readonly instructions: string | null;
}): string {
  const said = task.conversations.map(({ name, transcript }) =>
    name === null
      ? tagged('transcript', transcript)
      : `Conversation ${name}:\n${tagged('transcript', transcript)}`,
  );
  return [
    `This is what happened in the conversations of ${task.agentName} since you last looked. Bring the memory blocks up to date.`,
    ...said,
    ...instructed(task.instructions),
    finish,
  ].join('\n\n');
}

/** Asks the partner to process a document, or a part of one. */
export function documentTask(task: {
  readonly agentName: string;
  readonly document: RefinementDocument;
  /** 1-based. */
  readonly part: number;
  readonly parts: number;
  readonly cycle: number;
  readonly cycles: number;
  readonly instructions: string | null;
}): string {
  const { document, part, parts, cycle, cycles } = task;
  const which = parts === 1 ? '' : `, part ${part} of ${parts}`;
  const again =
    cycles === 1 ? '' : ` This is pass ${cycle} of ${cycles}: build on what the blocks say already.`;
  return [
    `Work what ${task.agentName} should know of this document into the memory blocks (${document.name}${which}).${again}`,
    tagged('document', document.text),
    ...instructed(task.instructions),
    finish,
  ].join('\n\n');
}

/** Asks the partner to resolve conflicts with edits that others made to the same lines. */
export function conflictTask(
  conflicts: readonly {
    readonly label: string;
    readonly current: string;
    readonly yours: string;
    readonly why: string;
  }[],
): string {
  const told = conflicts.map(
    ({ label, current, yours, why }) =>
      `Memory block \`${label}\`: ${why}\nIt reads now:\n${tagged('current', current)}\nYou wanted it to read:\n${tagged('yours', yours)}`,
  );
  return [
    'While you worked, others changed blocks that you edited. Your edits of the following blocks were not applied. Work them into the current text, and keep what the others wrote.',
    ...told,
    finish,
  ].join('\n\n');
}

const finish = 'When the blocks are as they should be, call memory_finish_edits.';

function instructed(instructions: string | null): string[] {
  return instructions === null || instructions.trim() === ''
    ? []
    : [`Pay attention to this: ${instructions}`];
}

// Puts the text between tags that it can't close.
function tagged(tag: string, text: string): string {
  const closed = text.replace(/<\/(?=\s*(?:transcript|document|current|yours)\s*>)/gi, '<\\/');
  return `<${tag}>\n${closed}\n</${tag}>`;
}
