import type { ToolSchema } from '../models/model.js';
import { needsApproval, type ToolRule } from '../agents/tool-rules.js';

/** A decision about a tool call that waited. */
export type ApprovalDecision =
  | { readonly kind: 'approved'; readonly toolCallId: string; readonly reason: string | null }
  | { readonly kind: 'denied'; readonly toolCallId: string; readonly reason: string | null }
  /** The client ran the tool itself. */
  | {
      readonly kind: 'returned';
      readonly toolCallId: string;
      readonly status: 'success' | 'error';
      readonly content: string;
      /** Images in the result: http(s) addresses or data URLs. */
      readonly images?: readonly string[];
      readonly stdout?: readonly string[];
      readonly stderr?: readonly string[];
    };

/** A decision in a request: about one call or, in older clients, about all that wait. */
export type ApprovalAnswer =
  ApprovalDecision | { readonly kind: 'all'; readonly approve: boolean; readonly reason: string | null };

/**
 * The decisions of a request for the calls that wait. A later answer about the same call overrides an earlier one.
 */
export function decideCalls(
  answers: readonly ApprovalAnswer[],
  waiting: readonly string[],
): readonly ApprovalDecision[] {
  const decisions = new Map<string, ApprovalDecision>();
  for (const answer of answers) {
    const about = answer.kind === 'all' ? waiting : waiting.filter((id) => id === answer.toolCallId);
    for (const toolCallId of about) decisions.set(toolCallId, decisionOn(answer, toolCallId));
  }
  return [...decisions.values()];
}

function decisionOn(answer: ApprovalAnswer, toolCallId: string): ApprovalDecision {
  if (answer.kind !== 'all') return answer;
  return { kind: answer.approve ? 'approved' : 'denied', toolCallId, reason: answer.reason };
}

/** The calls that the answers name. */
export function namedCalls(answers: readonly ApprovalAnswer[]): readonly string[] {
  return answers.flatMap((answer) => (answer.kind === 'all' ? [] : [answer.toolCallId]));
}

/** The result of a denied call. */
export function deniedText(reason: string | null): string {
  const why = reason === null || reason === '' ? 'none given' : reason;
  return `Error: request to call tool denied. User reason: ${why}`;
}

/** The result of a call whose turn was cancelled before a decision. */
export const undecidedText = 'The call was cancelled before anybody approved it. It was not run.';

/** Whether a call of this tool waits: for an approval, or because only the client can run it. */
export function waitsForClient(
  tool: { readonly name: string; readonly toolType: string },
  rules: readonly ToolRule[],
): boolean {
  return tool.toolType === clientToolType || needsApproval(rules, tool.name);
}

/** The type of a tool that a request brings along and its client runs. */
export const clientToolType = 'client';

/** The agent's tools and the request's. Of two with one name, the request's counts. */
export function withClientTools<Tool extends { readonly name: string }>(
  tools: readonly Tool[],
  brought: readonly ToolSchema[],
  toTool: (schema: ToolSchema) => Tool,
): readonly Tool[] {
  const names = new Set(brought.map((tool) => tool.name));
  return [...tools.filter((tool) => !names.has(tool.name)), ...brought.map(toTool)];
}
