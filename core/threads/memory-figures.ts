/** Sizes of the memory outside the context. They tell an agent whether a search is worthwhile. */
export interface MemoryFigures {
  /** Messages of the thread that are not in context. */
  readonly recallMessages: number;
  readonly archivalPassages: number;
  /** Tags of archival passages. */
  readonly tags?: readonly string[];
  /** Ids of pinned passages; absent: none. */
  readonly pinned?: readonly string[];
}

/** The figures as lines of the prompt. */
export function figureLines({
  recallMessages,
  archivalPassages,
  tags,
  pinned = [],
}: MemoryFigures): readonly string[] {
  const messages =
    recallMessages === 1 ? 'message between you and the user is' : 'messages between you and the user are';
  const memories = archivalPassages === 1 ? 'memory you created is' : 'memories you created are';
  return [
    `- ${recallMessages} previous ${messages} stored in recall memory (use tools to access them)`,
    `- ${archivalPassages} total ${memories} stored in archival memory (use tools to access them)`,
    ...(pinned.length === 0
      ? []
      : [`- ${pinned.length} of these ${pinned.length === 1 ? 'is' : 'are'} pinned into your context`]),
    ...(tags === undefined || tags.length === 0
      ? []
      : [`- Available archival memory tags: ${tags.join(', ')}`]),
  ];
}
