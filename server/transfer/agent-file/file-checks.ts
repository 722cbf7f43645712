import type { Transfer } from '../../../core/transfer/transfer.js';
import { AgentFileError } from './agent-file-error.js';

/** Refuses a file that refers to something that is not in it, or has an id twice. Throws AgentFileError. */
export function refuseDangling(transfer: Transfer): void {
  const { agents, groups } = transfer;
  const threads = agents.flatMap((agent) => agent.threads);
  refuse(
    'agents',
    transfer.agents,
    groups.flatMap(({ agentIds, managerAgentId }) =>
      managerAgentId === null ? agentIds : [...agentIds, managerAgentId],
    ),
  );
  refuse('blocks', transfer.blocks, [
    ...agents.flatMap((agent) => agent.blocks.map((block) => block.blockId)),
    ...threads.flatMap((thread) => thread.summaryBlockId ?? []),
    ...groups.flatMap((group) => group.sharedBlockIds),
  ]);
  refuse(
    'tools',
    transfer.tools,
    agents.flatMap((agent) => agent.toolIds),
  );
  refuse(
    'sources',
    transfer.sources,
    agents.flatMap((agent) => agent.sourceIds),
  );
  refuse(
    'perdure.archives',
    transfer.archives,
    agents.flatMap((agent) => agent.archives.map((one) => one.archiveId)),
  );
  const passages = [
    ...transfer.archives.flatMap((archive) => archive.passages),
    ...transfer.sources.flatMap((source) => source.files.flatMap((file) => file.passages)),
  ];
  refuse(
    'perdure',
    passages.flatMap(({ id }) => (id === null ? [] : [{ id }])),
    agents.flatMap((agent) => agent.pins),
  );
}

/** Refuses a source with two files of the same name. Throws AgentFileError. */
export function refuseDuplicateFiles({ sources }: Transfer): void {
  for (const { name, files } of sources) {
    const twin = findDuplicate(files.map((file) => file.name));
    if (twin !== undefined) {
      throw new AgentFileError(
        `The file's source '${name}' has two files named '${twin}'. Give one of them another name.`,
      );
    }
  }
}

function refuse(member: string, found: readonly { readonly id: string }[], named: readonly string[]): void {
  const ids = new Set(found.map(({ id }) => id));
  const twice = findDuplicate(found.map(({ id }) => id));
  if (twice !== undefined)
    throw new AgentFileError(`The file has ${twice} twice in \`${member}\`. Give each entry its own id.`);
  const missing = named.find((id) => !ids.has(id));
  if (missing !== undefined) {
    throw new AgentFileError(
      `The file refers to ${missing}, which is not in its \`${member}\`. Add it, or remove the reference.`,
    );
  }
}

/** The first name that occurs twice. */
function findDuplicate(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}
