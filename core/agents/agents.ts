import type { ModelSettings } from '../models/model.js';
import type { ToolRule } from './tool-rules.js';

/** Letta's agent types that the runtime runs. */
export const agentTypes = [
  'memgpt_agent',
  'memgpt_v2_agent',
  'letta_v1_agent',
  'react_agent',
  'workflow_agent',
  'split_thread_agent',
  'sleeptime_agent',
  'voice_convo_agent',
  'voice_sleeptime_agent',
] as const;

export type AgentType = (typeof agentTypes)[number];

/** A persistent identity: instructions, settings, rules. Its blocks, tools and messages are rows of their own. */
export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly agentType: AgentType;
  /** Base instructions, the first part of the prompt. */
  readonly system: string;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Handle of the model, `provider/model`. */
  readonly model: string;
  /** Handle of the embedding model. */
  readonly embedding: string;
  /** Context window in tokens, where the user set one; null: the model's own. */
  readonly contextWindow: number | null;
  readonly modelSettings: ModelSettings;
  readonly toolRules: readonly ToolRule[];
  readonly tags: readonly string[];
  /** IANA name; times that the agent is shown are in it. */
  readonly timezone: string;
  /** Fields of the REST API that the runtime stores and returns but does not use. */
  readonly extras: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * How an agent's loop works.
 * `tools`: every answer must be a tool call, and the agent asks for another step by `request_heartbeat` (MemGPT).
 * `native`: the model calls tools as it was trained to, and plain text ends the turn (`letta_v1_agent`).
 */
export type LoopStyle = 'tools' | 'native';

/** The loop style of an agent type. */
export function loopStyle(agentType: AgentType): LoopStyle {
  return agentType === 'letta_v1_agent' || agentType === 'sleeptime_agent' ? 'native' : 'tools';
}

/**
 * Agents of these types have no blocks in their context: they follow instructions and remember nothing about their
 * users.
 */
export const typesWithoutBlocks: readonly AgentType[] = ['react_agent', 'workflow_agent'];
