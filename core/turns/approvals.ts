import type { ToolSchema } from './model.js';
import { needsApproval, type ToolRule } from '../tools/rules.js';

/** What somebody decided about a tool call that waited for them. */
export type ApprovalDecision =
  | { readonly kind: 'approved'; readonly toolCallId: string; readonly reason: string | null }
  | { readonly kind: 'denied'; readonly toolCallId: string; readonly reason: string | null }
  /** The client ran the tool itself. */
  | {
      readonly kind: 'returned';
      readonly toolCallId: string;
      readonly status: 'success' | 'error';
      readonly content: string;
      /** Images beside it: http(s) addresses or data URLs. */
      readonly images?: readonly string[];
      readonly stdout?: readonly string[];
      readonly stderr?: readonly string[];
    };

/** A decision as a request brings it: about one call, or, as older clients say it, about all that wait. */
export type ApprovalAnswer =
  ApprovalDecision | { readonly kind: 'all'; readonly approve: boolean; readonly reason: string | null };

/** The decisions that a request's answers come to, for the calls that wait; a later answer about a call counts. */
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

/** What the model reads of a call that was denied. */
export function deniedText(reason: string | null): string {
  const why = reason === null || reason === '' ? 'none given' : reason;
  return `Error: request to call tool denied. User reason: ${why}`;
}

/** What the model reads of a call that nobody decided about before its turn was cancelled. */
export const undecidedText = 'The call was cancelled before anybody approved it. It was not run.';

/** Whether a call of this tool waits: for a person, or because only the client can run it. */
export function waitsForClient(
  tool: { readonly name: string; readonly toolType: string },
  rules: readonly ToolRule[],
): boolean {
  return tool.toolType === clientToolType || needsApproval(rules, tool.name);
}

/** The type of a tool that a request brings along and its client runs. */
export const clientToolType = 'client';

/** The agent's tools with those that a request brings; of one name, the request's. */
export function withClientTools<Tool extends { readonly name: string }>(
  tools: readonly Tool[],
  brought: readonly ToolSchema[],
  toTool: (schema: ToolSchema) => Tool,
): readonly Tool[] {
  const names = new Set(brought.map((tool) => tool.name));
  return [...tools.filter((tool) => !names.has(tool.name)), ...brought.map(toTool)];
}
