import { z } from 'zod';
import type { Agent } from '../../core/agents/agents.js';

/** OpenAI's list of models, in which each agent is one. */
export const openAiModels = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        id: z.string(),
        object: z.literal('model'),
        /** In seconds. */
        created: z.number(),
        owned_by: z.string(),
        name: z.string(),
      }),
    ),
  })
  .meta({ id: 'OpenAiModels' });

export function toOpenAiModels(agents: readonly Agent[]): z.infer<typeof openAiModels> {
  return {
    object: 'list',
    data: agents.map(({ id, name, createdAt }) => ({
      id,
      object: 'model',
      created: Math.floor(createdAt.getTime() / 1_000),
      owned_by: 'perdure',
      name,
    })),
  };
}
