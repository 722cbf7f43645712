/** How the agents of a group work together. */
export const managerTypes = ['round_robin', 'supervisor', 'dynamic', 'sleeptime', 'voice_sleeptime'] as const;

export type ManagerType = (typeof managerTypes)[number];

/** Settings of the group's manager. Which of them mean anything is the manager type's to say. */
export interface ManagerConfig {
  /** Turns of the manager agent between two refinements of its memory; null: after each one. */
  readonly frequency?: number | null;
  /** What an agent says to end the group's talk. */
  readonly terminationToken?: string | null;
  readonly maxTurns?: number | null;
  readonly refinement?: Partial<RefinementSettings>;
}

/** Bounds of a refinement: what a sleep-time partner may spend and change in one go. */
export interface RefinementSettings {
  /** Model calls at most. */
  readonly maxSteps: number;
  /** Tokens of all its model calls together, prompts and answers. */
  readonly maxTokens: number;
  /** Share of a block's characters, 0 to 1, that must be left of it after the refinement. */
  readonly minKeptShare: number;
  /** Whether edits wait for somebody's approval. */
  readonly review: boolean;
  /** Whether an eviction of the manager agent's messages wakes the partner. */
  readonly atEviction: boolean;
}

/** Turns between two refinements where nobody said another number. */
export const defaultFrequency = 5;

const defaults: RefinementSettings = {
  maxSteps: 20,
  maxTokens: 200_000,
  minKeptShare: 0.4,
  review: false,
  atEviction: true,
};

/** The settings of a group's refinements, with the defaults for what it leaves out. */
export function refinementSettings(config: Pick<ManagerConfig, 'refinement'>): RefinementSettings {
  return { ...defaults, ...config.refinement };
}

/** Agents that work together: those of a conversation, or an agent and those that refine its memory. */
export interface Group {
  readonly id: string;
  readonly managerType: ManagerType;
  /** The agent that leads, or whose memory is refined; null where none does. */
  readonly managerAgentId: string | null;
  /** The others, in order. */
  readonly agentIds: readonly string[];
  readonly description: string;
  readonly managerConfig: ManagerConfig;
  readonly sharedBlockIds: readonly string[];
  /** Turns of the manager agent that were counted. */
  readonly turnsCounter: number;
  /** The last message of the manager's default thread that a partner has reflected on. */
  readonly lastProcessedMessageId: string | null;
  /** Its partners are not woken by turns or evictions. */
  readonly paused: boolean;
  /** Fields of the REST API that are kept and given back. */
  readonly extras: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
