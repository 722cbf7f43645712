import type { Conversation } from './conversation.js';
import { readHumanBlock } from './human-block.js';
import { findLines, findStanding, toLines } from './known-lines.js';
import type { PlannedStep } from './plan.js';
import { readFound } from './search-results.js';

const honest =
  "I am perdure's built-in demo model: I follow a few rules and understand plain statements such as “my name is Ada”, " +
  '“I love tea”, “remember that …”, “save … to archival memory”, and questions about them. ' +
  'Set OPENAI_API_KEY, or another provider’s key, to talk to a real model.';

/** The answer at the end of a turn: what was stored, what was found, and what failed. */
export function writeAnswer(conversation: Conversation, plan: readonly PlannedStep[]): string {
  const sentences = [
    ...writeGreeting(conversation, plan),
    ...writeKept(plan),
    ...plan.flatMap((step) => writeStep(step, conversation)),
  ];
  if (sentences.length > 0) return [...new Set(sentences)].join(' ');
  return conversation.asked === '' && conversation.calls.length > 0 ? 'Done.' : honest;
}

function writeGreeting({ before, asked }: Conversation, plan: readonly PlannedStep[]): string[] {
  const isGreeted = plan.some(({ intent }) => intent.kind === 'greeting');
  if (asked !== '' && !isGreeted) return [];
  const name = findName(readHumanBlock(before));
  return [`Hello${name === undefined ? '' : `, ${name}`}.`, ...(plan.length > 1 ? [] : [honest])];
}

/** One sentence for all facts and passages that this turn stored. */
function writeKept(plan: readonly PlannedStep[]): string[] {
  const kept = plan.filter(({ call }) => call?.result?.ok === true);
  const noted = kept.flatMap(({ intent }) => (intent.kind === 'fact' ? [intent.fact.line] : []));
  const saved = kept.flatMap(({ intent }) => (intent.kind === 'save' ? [intent.text] : []));
  return [
    ...(noted.length > 0 ? [`I noted in core memory: ${noted.join('; ')}.`] : []),
    ...(saved.length > 0 ? [`I saved in archival memory: ${saved.join('; ')}.`] : []),
  ];
}

function writeStep(step: PlannedStep, conversation: Conversation): string[] {
  const { intent, action, call, human } = step;
  if (call?.result?.ok === false) return [`That did not work: ${String(call.result.message).slice(0, 200)}`];
  switch (intent.kind) {
    case 'fact':
      if (action !== undefined) return [];
      return findStanding(human, intent.fact).kind === 'known'
        ? [`I know that already: ${intent.fact.line}.`]
        : ['I have no tool to note that.'];
    case 'save':
      return action === undefined ? ['I have no tool to save that.'] : [];
    case 'search':
    case 'recall':
      return [writeFound(step, conversation)];
    case 'ask':
      return [action === undefined ? writeKnown(intent.question, human) : writeFound(step, conversation)];
    case 'about':
      return [writeAll(human)];
    case 'greeting':
      return [];
    case 'other':
      return [];
  }
}

function writeKnown(question: string, human: string): string {
  const lines = findLines(human, question);
  const name = findName(human);
  if (/\bname\b/i.test(question) && name !== undefined) return `Your name is ${name}.`;
  return lines.length > 0 ? `From my core memory of you: ${lines.join('; ')}.` : 'I do not know that.';
}

function writeFound({ action, call }: PlannedStep, { asked }: Conversation): string {
  if (action === undefined || call === undefined) return 'I have no tool to look for that.';
  const place = action.kind === 'recall' ? 'our past messages' : 'my archival memory';
  // A search of past messages also finds the question itself.
  const found = readFound(call.result?.message).filter((text) => !isSame(text, asked));
  const best = found.slice(0, 3).map((text) => text.replace(/\s+/g, ' ').slice(0, 300));
  return best.length > 0
    ? `From ${place}: ${best.join(' | ')}`
    : `I looked for “${action.text}” in ${place} and found nothing.`;
}

function isSame(text: string, asked: string): boolean {
  return asked.split('\n').some((part) => text.trim() === part.trim());
}

function writeAll(human: string): string {
  const lines = toLines(human);
  return lines.length > 0
    ? `This is what I know about you: ${lines.join('; ')}.`
    : 'I know nothing about you yet.';
}

function findName(human: string): string | undefined {
  return /\bname(?:\s+is|\s*:)[ \t]*([^\n;.,]*[^\n;.,\s])/i.exec(human)?.[1];
}
