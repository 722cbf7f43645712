import type { MessageBody } from '../threads/messages.js';
import { finalState, type StopReason } from '../turns/stop-reasons.js';
import type { Participant, TalkPlan } from './talks.js';

/** An entry of a talk's transcript. */
export type TalkLine =
  | { readonly kind: 'user'; readonly body: MessageBody; readonly senderId: string | null }
  | { readonly kind: 'agent'; readonly speaker: Participant; readonly text: string }
  /** The runtime's note on an agent whose turn did not end normally. */
  | { readonly kind: 'note'; readonly about: Participant; readonly stopReason: StopReason };

/** A line as a message to the agents that did not say it. */
export function heardBody(line: TalkLine): MessageBody {
  switch (line.kind) {
    case 'user':
      return line.body;
    case 'agent':
      return alertBody(
        `[${nameOf(line.speaker)} said in the group conversation] ${line.text}`,
        line.speaker.name,
      );
    case 'note':
      return alertBody(noteText(line));
  }
}

/** What the others read of an agent whose turn did not end normally. */
export function noteText({
  about,
  stopReason,
}: {
  readonly about: Participant;
  readonly stopReason: StopReason;
}): string {
  const why =
    stopReason === 'requires_approval'
      ? 'a tool call of its turn waits for an approval'
      : `its turn ended as ${stopReason}`;
  return `[${nameOf(about)} did not finish what it had to say: ${why}. The group conversation goes on.]`;
}

/** Whether the others are told how a turn ended. */
export function needsNote(stopReason: StopReason): boolean {
  return stopReason === 'requires_approval' || finalState(stopReason) !== 'completed';
}

/** What a participant reads before its first turn of a talk. */
export function introduction(plan: TalkPlan, agentId: string): MessageBody {
  const others = plan.participants.filter((one) => one.agentId !== agentId);
  const company =
    others.length === 0 ? 'one user' : `one user and these agents: ${others.map(describe).join('; ')}`;
  return alertBody(
    [
      `You take part in a group conversation with ${company}.`,
      ...(plan.description === '' ? [] : [`The group's purpose: ${plan.description}`]),
      'Everybody hears what you say, and you hear what the others say. Speak for yourself, build on what was said, and leave room for the others.',
    ].join('\n'),
  );
}

/** What the manager of a supervisor group reads before the user's message. */
export function supervision(plan: TalkPlan, tool: string): MessageBody {
  return alertBody(
    [
      `You lead a group of these agents: ${plan.participants.map(describe).join('; ')}.`,
      ...(plan.description === '' ? [] : [`The group's purpose: ${plan.description}`]),
      `Ask them all at once with ${tool}: its result holds what each of them answers. They hear nothing else. Then answer the user.`,
    ].join('\n'),
  );
}

/** Asks the manager of a dynamic group who speaks next. `lines`: what it has not heard yet. */
export function choice(
  plan: TalkPlan,
  asked: {
    readonly options: readonly Participant[];
    readonly lines: readonly TalkLine[];
    readonly again: boolean;
  },
): MessageBody {
  const { options, lines, again } = asked;
  return alertBody(
    [
      ...(again ? ['Your answer named none of them, or more than one.'] : []),
      `You oversee a group conversation. Choose who speaks next: ${options.map(describe).join('; ')}.`,
      ...(plan.description === '' ? [] : [`The group's purpose: ${plan.description}`]),
      `Answer with exactly one of these names, and do not answer the messages yourself. Where the conversation has reached its end, answer ${plan.terminationToken}`,
      ...(lines.length === 0 ? [] : ['What was said since you last chose:', ...lines.map(toldLine)]),
    ].join('\n'),
  );
}

function toldLine(line: TalkLine): string {
  switch (line.kind) {
    case 'user':
      return `${userName(line.body)}: ${bodyText(line.body)}`;
    case 'agent':
      return `${line.speaker.name}: ${line.text}`;
    case 'note':
      return noteText(line);
  }
}

function userName(body: MessageBody): string {
  return body.kind === 'user' || body.kind === 'system' ? (body.name ?? 'user') : 'user';
}

function bodyText(body: MessageBody): string {
  if (body.kind === 'assistant') return body.text;
  if (body.kind !== 'user' && body.kind !== 'system') return '';
  return body.content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
}

function describe(participant: Participant): string {
  const { name, agentId, description } = participant;
  return `‘${name}’ (${agentId}${description === null || description === '' ? '' : `, ${description}`})`;
}

function nameOf({ name }: Participant): string {
  return `‘${name}’`;
}

function alertBody(text: string, name?: string): MessageBody {
  return {
    kind: 'system',
    content: [{ type: 'text', text }],
    ...(name === undefined ? {} : { name }),
  };
}
