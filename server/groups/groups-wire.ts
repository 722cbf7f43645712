import { z } from 'zod';
import {
  defaultFrequency,
  type Group,
  type ManagerConfig,
  type ManagerType,
  managerTypes,
  refinementSettings,
} from '../../core/groups/groups.js';
import { int32, withoutNulls } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';

const keptFields = {
  project_id: z.string().nullish(),
  hidden: z.boolean().nullish(),
  min_message_buffer_length: int32.nullish(),
  max_message_buffer_length: int32.nullish(),
};

/** The fields that were stored with a group as they came. */
export const keptGroupExtras = z.object(keptFields);

const frequency = int32.min(1);

/** The settings of managers of all types; each type uses some of them. */
const managerFields = {
  manager_agent_id: idOf('agent').nullish(),
  max_turns: int32.min(1).nullish(),
  termination_token: z.string().min(1).nullish(),
  sleeptime_agent_frequency: frequency.nullish(),
  min_message_buffer_length: int32.nullish(),
  max_message_buffer_length: int32.nullish(),
  // Not Letta's: the limits of a refinement.
  max_steps: int32.min(1).max(200).nullish(),
  max_tokens: int32.min(1_000).nullish(),
  min_kept_share: z.number().min(0).max(1).nullish(),
  review: z.boolean().nullish(),
  at_eviction: z.boolean().nullish(),
};

/** The error for a manager that names no agent though its type needs one. */
export const managerMissing = {
  error: 'is required with this manager_type: the agent that leads, or whose memory is refined',
  path: ['manager_agent_id'],
};

/** Whether a manager names the agent that its type needs. */
export function namesItsAgent(manager: {
  readonly manager_type: ManagerType;
  readonly manager_agent_id?: string | null | undefined;
}): boolean {
  return manager.manager_type === 'round_robin' || manager.manager_agent_id != null;
}

const createManager = z
  .object({ manager_type: z.enum(managerTypes), ...managerFields })
  .refine(namesItsAgent, managerMissing);

/** A new group; round robin by default. */
export const createGroupBody = z
  .object({
    agent_ids: z.array(idOf('agent')),
    description: z.string(),
    manager_config: createManager.nullish(),
    shared_block_ids: z.array(idOf('block')).nullish(),
    project_id: keptFields.project_id,
    hidden: keptFields.hidden,
  })
  .meta({ id: 'GroupCreate' });

/** Changes of a group; absent fields stay as they are. */
export const updateGroupBody = z
  .object({
    agent_ids: z.array(idOf('agent')).nullish(),
    description: z.string().nullish(),
    manager_config: z.object({ manager_type: z.enum(managerTypes).nullish(), ...managerFields }).nullish(),
    shared_block_ids: z.array(idOf('block')).nullish(),
    project_id: keptFields.project_id,
    hidden: keptFields.hidden,
  })
  .meta({ id: 'GroupUpdate' });

type ManagerBody = z.infer<z.ZodObject<typeof managerFields>>;

/** A group as the API shows it. `sleeptime` and `paused` are not Letta's. */
export const wireGroup = z
  .object({
    id: z.string(),
    manager_type: z.enum(managerTypes),
    agent_ids: z.array(z.string()),
    description: z.string(),
    shared_block_ids: z.array(z.string()),
    manager_agent_id: z.string().nullable(),
    termination_token: z.string().nullable(),
    max_turns: z.number().nullable(),
    sleeptime_agent_frequency: z.number().nullable(),
    turns_counter: z.number(),
    last_processed_message_id: z.string().nullable(),
    min_message_buffer_length: z.number().nullable(),
    max_message_buffer_length: z.number().nullable(),
    paused: z.boolean(),
    sleeptime: z
      .object({
        max_steps: z.number(),
        max_tokens: z.number(),
        min_kept_share: z.number(),
        review: z.boolean(),
        at_eviction: z.boolean(),
      })
      .nullable(),
    project_id: z.string().nullable(),
    template_id: z.string().nullable(),
    base_template_id: z.string().nullable(),
    deployment_id: z.string().nullable(),
    hidden: z.boolean().nullable(),
  })
  .meta({ id: 'Group' });

export type WireGroup = z.infer<typeof wireGroup>;

/** Whether the group refines its manager's memory. */
export function isSleepTime<T extends Pick<WireGroup, 'manager_type'>>(group: T | null): group is T {
  return group?.manager_type === 'sleeptime' || group?.manager_type === 'voice_sleeptime';
}

/** The settings of a new group's manager: a sleep-time group that names no frequency gets the default one. */
export function fromNewManager(body: z.infer<typeof createManager>): ManagerConfig {
  const config = fromManager(body);
  if (!isSleepTime(body) || body.sleeptime_agent_frequency !== undefined) return config;
  return { ...config, frequency: defaultFrequency };
}

/** The settings that a request names. A frequency of null means after each turn. */
export function fromManager(body: ManagerBody): ManagerConfig {
  const refinement = withoutNulls({
    maxSteps: body.max_steps,
    maxTokens: body.max_tokens,
    minKeptShare: body.min_kept_share,
    review: body.review,
    atEviction: body.at_eviction,
  });
  return {
    ...(body.sleeptime_agent_frequency === undefined ? {} : { frequency: body.sleeptime_agent_frequency }),
    ...(body.termination_token === undefined ? {} : { terminationToken: body.termination_token }),
    ...(body.max_turns === undefined ? {} : { maxTurns: body.max_turns }),
    ...(Object.keys(refinement).length === 0 ? {} : { refinement }),
  };
}

/** The fields of a request that are stored with the group as they came. */
export function keptGroupFields(body: z.infer<typeof updateGroupBody>): Record<string, unknown> {
  const { min_message_buffer_length: least, max_message_buffer_length: most } = body.manager_config ?? {};
  const { project_id: projectId, hidden } = body;
  return withoutNulls({
    project_id: projectId,
    hidden,
    min_message_buffer_length: least,
    max_message_buffer_length: most,
  });
}

export function toWireGroup(group: Group): WireGroup {
  const { data: kept = {} } = keptGroupExtras.safeParse(group.extras);
  const { managerConfig } = group;
  const bounds = refinementSettings(managerConfig);
  return {
    id: group.id,
    manager_type: group.managerType,
    agent_ids: [...group.agentIds],
    description: group.description,
    shared_block_ids: [...group.sharedBlockIds],
    manager_agent_id: group.managerAgentId,
    termination_token: managerConfig.terminationToken ?? null,
    max_turns: managerConfig.maxTurns ?? null,
    sleeptime_agent_frequency: managerConfig.frequency ?? null,
    turns_counter: group.turnsCounter,
    last_processed_message_id: group.lastProcessedMessageId,
    min_message_buffer_length: kept.min_message_buffer_length ?? null,
    max_message_buffer_length: kept.max_message_buffer_length ?? null,
    paused: group.paused,
    sleeptime: isSleepTime({ manager_type: group.managerType })
      ? {
          max_steps: bounds.maxSteps,
          max_tokens: bounds.maxTokens,
          min_kept_share: bounds.minKeptShare,
          review: bounds.review,
          at_eviction: bounds.atEviction,
        }
      : null,
    project_id: kept.project_id ?? null,
    template_id: null,
    base_template_id: null,
    deployment_id: null,
    hidden: kept.hidden ?? null,
  };
}
