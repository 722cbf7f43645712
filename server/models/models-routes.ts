import { z } from 'zod';
import { listAgents } from '../../schema/agents/agents.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { isOpenAiClient } from '../http/client-generation-wire.js';
import { freeObject, queryList } from '../http/fields-wire.js';
import { toWireEmbedding, toWireModel } from './model-configs-wire.js';
import { openAiModels, toOpenAiModels } from '../openai/models-wire.js';
import { describeRoute } from '../http/route-documentation.js';

const listQuery = z.object({
  provider_name: z.string().optional(),
  provider_type: z.string().optional(),
  /** All providers are `base`, which are those of the settings; users can't add any. */
  provider_category: queryList.optional(),
});

/** The most agents that are listed as models, newest first. */
const mostAgents = 1_000;

/** The models that agents can use. OpenAI's clients get the agents instead, which are models to them. */
export function modelRoutes(app: App, { db, models, embeddings }: RouteContext): void {
  app.get(
    '/v1/models',
    {
      schema: {
        ...describeRoute('models.list', 'List the models of the configured providers'),
        querystring: listQuery,
        response: { 200: z.union([z.array(freeObject), openAiModels]) },
      },
    },
    async ({ query, headers }) => {
      if (isOpenAiClient(headers)) {
        const newest = { limit: mostAgents, order: 'desc' } as const;
        return toOpenAiModels(await listAgents(db, { showsHidden: false }, newest));
      }
      if (query.provider_category?.includes('base') === false) return [];
      return (await models.list())
        .map(toWireModel)
        .filter((model) => matches(query.provider_name, model['provider_name']))
        .filter((model) => matches(query.provider_type, model['provider_type']));
    },
  );
  app.get(
    '/v1/models/embedding',
    {
      schema: {
        ...describeRoute('models.embeddings.list', 'List the embedding models'),
        response: { 200: z.array(freeObject) },
      },
    },
    () => embeddings.list().map(toWireEmbedding),
  );
}

function matches(wanted: string | undefined, value: unknown): boolean {
  return wanted === undefined || wanted === value;
}
