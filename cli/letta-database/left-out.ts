import { isUsable, isWhole } from './agent-file.js';
import { countLost } from './messages.js';
import type { LettaRows } from './rows.js';

/** Something that does not come over, and why. */
export interface LeftOut {
  readonly what: string;
  readonly why: string;
}

/** What of these agents is not in their agent file. */
export function listLeftOut(rows: LettaRows): readonly LeftOut[] {
  const ids = new Set(rows.agents.map(({ id }) => id));
  const lost = countLost(rows.messages);
  const many = (count: number, what: string, why: string): LeftOut[] =>
    count === 0 ? [] : [{ what: `${count} ${what}`, why }];
  return [
    ...rows.tools
      .filter((tool) => !isUsable(tool))
      .map(({ name }) => ({ what: `tool ${name}`, why: 'its row has no source code' })),
    ...rows.tools
      .filter((tool) => isUsable(tool) && (tool.npm_requirements ?? []).length > 0)
      .map(({ name }) => ({
        what: `npm packages of ${name}`,
        why: "TypeScript tools have Node's own modules",
      })),
    ...rows.groups
      .filter((group) => !isWhole(group, ids))
      .map(({ id }) => ({ what: id, why: 'an agent of it is deleted, or was imported earlier' })),
    ...many(lost.images, 'images', 'their rows name a file and have no data'),
    ...many(lost.sealedThoughts, 'pieces of reasoning', 'they are sealed for the provider'),
    ...many(lost.brokenCalls, 'tool calls', 'their rows have no name or no arguments'),
    ...many(rows.identities, 'links to identities', 'make the identities here and attach them'),
    ...many(rows.isolatedBlocks, 'blocks of single conversations', 'blocks belong to agents here'),
  ];
}
