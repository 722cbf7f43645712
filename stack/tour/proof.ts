import type { TourFacts } from './facts.js';
import type { ShownBlock, ShownMessage, ShownPassage } from './shapes.js';

/** A claim about the data after the tour. */
export interface Check {
  readonly claim: string;
  readonly holds: boolean;
}

/** The data after the tour, read back through the API. */
export interface Remains {
  readonly blocks: readonly ShownBlock[];
  readonly passages: readonly ShownPassage[];
  /** Of each turn, what its stream showed and what is stored. */
  readonly turns: readonly {
    readonly streamed: readonly ShownMessage[];
    readonly stored: readonly ShownMessage[];
  }[];
}

/** Where one of the facts was found, and how often. */
export interface FoundFact {
  readonly fact: string;
  readonly place: 'human block' | 'archival memory';
  readonly times: number;
}

const edits = /^(core_memory_(append|replace)|memory_(insert|replace|rethink))$/;

/** Checks that hold with any model: everything was done, and once. */
export function checkRemains({ blocks, passages, turns }: Remains): Check[] {
  const stored = turns.flatMap((turn) => turn.stored);
  const streamed = turns.flatMap((turn) => turn.streamed);
  const calls = stored.flatMap((one) => (one.message_type === 'tool_call_message' ? one.tool_calls : []));
  const results = stored.flatMap((one) => (one.message_type === 'tool_return_message' ? [one] : []));
  const answered = (id: string) => results.filter((result) => result.tool_call_id === id);
  const done = calls.filter(({ tool_call_id: id }) => answered(id)[0]?.status === 'success');
  const edited = done.filter(({ name }) => edits.test(name)).length;
  const inserted = done.filter(({ name }) => name === 'archival_memory_insert').length;
  const revisions = blocks.reduce((sum, { revision }) => sum + revision - 1, 0);
  const otids = stored.map(({ otid }) => otid);
  return [
    {
      claim: `${stored.length} messages are stored, and each came by once on the streams, in the same order`,
      holds:
        new Set(otids).size === otids.length &&
        isSame(
          otids,
          streamed.map(({ otid }) => otid),
        ),
    },
    {
      claim: `${calls.length} tool calls have one result each`,
      holds:
        calls.length === results.length && calls.every((call) => answered(call.tool_call_id).length === 1),
    },
    {
      claim: `${edited} edits of core memory made ${revisions} revisions`,
      holds: edited === revisions,
    },
    {
      claim: `${inserted} inserts into archival memory made ${passages.length} passages`,
      holds: inserted === passages.length,
    },
  ];
}

/** How often each fact is found where it belongs. Once is right, but a real model may use its own words. */
export function findFacts(facts: TourFacts, { blocks, passages }: Remains): FoundFact[] {
  const human = blocks.find(({ label }) => label === 'human')?.value ?? '';
  const archive = passages.map(({ text }) => text).join('\n');
  return [
    ...[facts.name, facts.city, facts.work, ...facts.likes].map(
      (fact) => ({ fact, place: 'human block', times: count(human, fact) }) as const,
    ),
    ...[facts.place, facts.note].map(
      (fact) => ({ fact, place: 'archival memory', times: count(archive, fact) }) as const,
    ),
  ];
}

function count(text: string, part: string): number {
  return text.toLowerCase().split(part.toLowerCase()).length - 1;
}

function isSame(ones: readonly string[], others: readonly string[]): boolean {
  return ones.length === others.length && ones.every((one, index) => one === others[index]);
}
