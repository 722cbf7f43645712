/** The ways in which a group's agents work together. */
export const managerTypes = ['round_robin', 'supervisor', 'dynamic', 'sleeptime', 'voice_sleeptime'] as const;

export type ManagerType = (typeof managerTypes)[number];

/** Settings of the group's manager. Each manager type uses some of them. */
export interface ManagerConfig {
  /** Turns of the manager agent per refinement of its memory; null: 1. */
  readonly frequency?: number | null;
  /** The text by which an agent ends the group's talk. */
  readonly terminationToken?: string | null;
  readonly maxTurns?: number | null;
  readonly refinement?: Partial<RefinementSettings>;
}

/** What a sleep-time partner may spend and change in one refinement. */
export interface RefinementSettings {
  /** Model calls at most. */
  readonly maxSteps: number;
  /** Tokens of all its model calls together, prompts and answers. */
  readonly maxTokens: number;
  /** The share of a block's characters, 0 to 1, that must remain after the refinement. */
  readonly minKeptShare: number;
  /** Whether edits wait for approval. */
  readonly review: boolean;
  /** Whether an eviction of the manager agent's messages wakes the partner. */
  readonly atEviction: boolean;
}

/** The default number of turns per refinement. */
export const defaultFrequency = 5;

const defaults: RefinementSettings = {
  maxSteps: 20,
  maxTokens: 200_000,
  minKeptShare: 0.4,
  review: false,
  atEviction: true,
};

/** The settings of a group's refinements, with defaults for missing ones. */
export function refinementSettings(config: Pick<ManagerConfig, 'refinement'>): RefinementSettings {
  return { ...defaults, ...config.refinement };
}

/** Agents that work together: the members of a conversation, or an agent and the partners that refine its memory. */
export interface Group {
  readonly id: string;
  readonly managerType: ManagerType;
  /** The agent that leads, or whose memory is refined; null: none. */
  readonly managerAgentId: string | null;
  /** The others, in order. */
  readonly agentIds: readonly string[];
  readonly description: string;
  readonly managerConfig: ManagerConfig;
  readonly sharedBlockIds: readonly string[];
  /** The number of the manager agent's turns that were counted. */
  readonly turnsCounter: number;
  /** The last message of the manager's default thread that a partner has processed. */
  readonly lastProcessedMessageId: string | null;
  /** While true, turns and evictions don't wake the partners. */
  readonly paused: boolean;
  /** Fields of the REST API that are stored and returned. */
  readonly extras: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
