/** The block revisions that a running tool has read. */
export interface ReadRevisions {
  /** Records every block in an answer of the API to this path: a block, an agent, or a list of either. */
  note(path: string, answer: unknown): void;
  /** The revision at which the block under this path was read; undefined: not read. */
  baseOf(path: string): number | undefined;
}

interface ShownBlock {
  readonly id: string;
  readonly label: string;
  readonly revision: number;
}

const ofAgent = /^\/v1\/agents\/([^/]+)\/core-memory\/blocks(?:\/[^/]+)?$/;
const byId = /^\/v1\/blocks\/([^/]+)$/;

/** Blocks are recorded by id, so that one that is read by one path and written by another is recognised. */
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
    // An invalid path, which the server refuses.
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
