import type { ManagerType } from './groups.js';
import type { MessageBody } from '../threads/messages.js';
import { finalState, type StopReason } from '../turns/stop-reasons.js';

/** An agent of a group, as the others see it. */
export interface Participant {
  readonly agentId: string;
  readonly name: string;
  readonly description: string | null;
}

/** The group as it was when the talk began. Later changes apply to later talks. */
export interface TalkPlan {
  readonly managerType: ManagerType;
  readonly managerAgentId: string | null;
  /** In the group's order. */
  readonly participants: readonly Participant[];
  readonly description: string;
  /** The most turns of participants. */
  readonly maxTurns: number;
  /** The text by which an agent ends a dynamic group's talk. */
  readonly terminationToken: string;
}

/** What a user said to a group. */
export interface TalkMessage {
  readonly body: MessageBody;
  readonly senderId: string | null;
  readonly otid: string | null;
}

/** The default termination token of dynamic groups. */
export const defaultTerminationToken = 'DONE!';

/** A finished turn of a talk. `choosing`: the manager of a dynamic group chose the next speaker. */
export interface EndedTalkTurn {
  readonly agentId: string;
  readonly role: 'speaking' | 'choosing';
  readonly said: readonly string[];
  readonly stopReason: StopReason;
}

/** The next action of a talk. */
export type NextInTalk =
  | { readonly kind: 'speak'; readonly agentId: string }
  /** The manager chooses the next speaker. `again`: its last answer did not name exactly one. */
  | {
      readonly kind: 'choose';
      readonly agentId: string;
      readonly options: readonly Participant[];
      readonly again: boolean;
    }
  | { readonly kind: 'over'; readonly stopReason: StopReason };

/** Decides the next action after these turns. `isThere`: whether an agent still exists. */
export function decideTalk(
  plan: TalkPlan,
  turns: readonly EndedTalkTurn[],
  isThere: (agentId: string) => boolean,
): NextInTalk {
  switch (plan.managerType) {
    case 'round_robin':
      return decideRound(plan, turns, isThere);
    case 'dynamic':
      return decideChosen(plan, turns, isThere);
    case 'supervisor':
    case 'sleeptime':
    case 'voice_sleeptime':
      return decideLed(plan, turns, isThere);
  }
}

function decideRound(
  plan: TalkPlan,
  turns: readonly EndedTalkTurn[],
  isThere: (agentId: string) => boolean,
): NextInTalk {
  const next = nextInOrder(plan, turns.at(-1)?.agentId, isThere);
  if (next === undefined || turns.length >= plan.maxTurns) return over(turns);
  return { kind: 'speak', agentId: next.agentId };
}

function decideChosen(
  plan: TalkPlan,
  turns: readonly EndedTalkTurn[],
  isThere: (agentId: string) => boolean,
): NextInTalk {
  const { managerAgentId, maxTurns, terminationToken } = plan;
  const last = turns.at(-1);
  const spoken = turns.filter(({ role }) => role === 'speaking');
  if (last?.said.some((text) => text.includes(terminationToken)) === true) {
    return { kind: 'over', stopReason: 'end_turn' };
  }
  const options = optionsAfter(plan, spoken.at(-1)?.agentId, isThere);
  const [first] = options;
  if (managerAgentId === null || !isThere(managerAgentId) || first === undefined) return over(spoken);
  const choose = { kind: 'choose', agentId: managerAgentId, options } as const;
  if (last?.role !== 'choosing') {
    return spoken.length >= maxTurns ? over(spoken) : { ...choose, again: false };
  }
  const chosen = findNamed(last.said.join('\n'), options);
  if (chosen !== undefined) return { kind: 'speak', agentId: chosen.agentId };
  if (turns.at(-2)?.role === 'choosing') return { kind: 'speak', agentId: first.agentId };
  return { ...choose, again: true };
}

/** A talk that consists of one turn of the manager. */
function decideLed(
  { managerAgentId }: TalkPlan,
  turns: readonly EndedTalkTurn[],
  isThere: (agentId: string) => boolean,
): NextInTalk {
  const [led] = turns;
  if (led !== undefined) return { kind: 'over', stopReason: led.stopReason };
  if (managerAgentId === null || !isThere(managerAgentId)) return { kind: 'over', stopReason: 'error' };
  return { kind: 'speak', agentId: managerAgentId };
}

/** A talk ends normally if any of its turns did. The others report their own ends. */
function over(spoken: readonly EndedTalkTurn[]): NextInTalk {
  const wentWell = spoken.some(({ stopReason }) => finalState(stopReason) === 'completed');
  return { kind: 'over', stopReason: wentWell ? 'end_turn' : (spoken.at(-1)?.stopReason ?? 'error') };
}

/**
 * The agents that may be chosen: existing ones, beginning after the last speaker in order. The last speaker itself
 * only if nobody else is left.
 */
function optionsAfter(
  plan: TalkPlan,
  lastSpeaker: string | undefined,
  isThere: (agentId: string) => boolean,
): readonly Participant[] {
  const last = plan.participants.findIndex(({ agentId }) => agentId === lastSpeaker);
  const rotated = [...plan.participants.slice(last + 1), ...plan.participants.slice(0, last + 1)];
  const there = rotated.filter(({ agentId }) => isThere(agentId));
  const others = there.filter(({ agentId }) => agentId !== lastSpeaker);
  return others.length === 0 ? there : others;
}

function nextInOrder(
  plan: TalkPlan,
  lastSpeaker: string | undefined,
  isThere: (agentId: string) => boolean,
): Participant | undefined {
  return optionsAfter(plan, lastSpeaker, isThere)[0];
}

/**
 * The only option that a text names, by name or id, as a separate word; undefined where it names none or several. A
 * name within a longer one, such as `Ann` in `Ann Lee`, doesn't count.
 */
export function findNamed(text: string, options: readonly Participant[]): Participant | undefined {
  const names = options
    .flatMap((option) => [option.name, option.agentId].map((name) => ({ name, option })))
    .filter(({ name }) => name.trim() !== '')
    .sort((one, other) => other.name.length - one.name.length);
  const named = new Set<Participant>();
  let rest = text;
  for (const { name, option } of names) {
    const without = rest.replaceAll(wordOf(name), ' ');
    if (without !== rest) named.add(option);
    // Two agents with the same name both match.
    if (!names.some((other) => other.option !== option && sameName(other.name, name))) rest = without;
  }
  const [one] = named;
  return named.size === 1 ? one : undefined;
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function wordOf(name: string): RegExp {
  const escaped = name.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}_-])${escaped}(?![\p{L}\p{N}_-])`, 'giu');
}
