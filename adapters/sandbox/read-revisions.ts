/** The revisions of blocks that a running tool has read, whichever way it read them. */
export interface ReadRevisions {
  /** Notes every block that an answer of the API to this path shows: a block, an agent, a list of either. */
  note(path: string, answer: unknown): void;
  /** The revision that the block under this path was read at; undefined where it was not read. */
  baseOf(path: string): number | undefined;
}

interface ShownBlock {
  readonly id: string;
  readonly label: string;
  readonly revision: number;
}

const ofAgent = /^\/v1\/agents\/([^/]+)\/core-memory\/blocks(?:\/[^/]+)?$/;
const byId = /^\/v1\/blocks\/([^/]+)$/;

/** Remembers blocks by their ids, so that one that was read in one way and is written in another is known again. */
export function createReadRevisions(): ReadRevisions {
  const revisions = new Map<string, number>();
  const idsByPath = new Map<string, string>();
  const noteBlock = (block: ShownBlock, agentId: string | undefined): void => {
    revisions.set(block.id, block.revision);
    if (agentId !== undefined) idsByPath.set(labelPath(agentId, block.label), block.id);
  };
  const noteShown = (shown: unknown, agentId: string | undefined): void => {
    if (Array.isArray(shown)) for (const item of shown) noteShown(item, agentId);
    else if (isBlock(shown)) noteBlock(shown, agentId);
    else if (isAgent(shown)) noteShown(shown.blocks, shown.id);
  };
  return {
    note: (path, answer) => {
      noteShown(answer, ofAgent.exec(path)?.[1]);
    },
    baseOf: (path) => {
      const id = byId.exec(path)?.[1] ?? idsByPath.get(decoded(path));
      return id === undefined ? undefined : revisions.get(id);
    },
  };
}

function labelPath(agentId: string, label: string): string {
  return `/v1/agents/${agentId}/core-memory/blocks/${label}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Such a path names nothing: the server refuses it.
    return path;
  }
}

function isBlock(shown: unknown): shown is ShownBlock {
  const { id, label, revision } = fieldsOf(shown);
  return typeof id === 'string' && typeof label === 'string' && typeof revision === 'number';
}

function isAgent(shown: unknown): shown is { readonly id: string; readonly blocks: readonly unknown[] } {
  const { id, blocks } = fieldsOf(shown);
  return typeof id === 'string' && Array.isArray(blocks);
}

function fieldsOf(shown: unknown): Readonly<Record<string, unknown>> {
  return typeof shown === 'object' && shown !== null ? (shown as Record<string, unknown>) : {};
}
