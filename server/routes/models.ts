import { z } from 'zod';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { freeObject } from '../wire/fields.js';
import { toWireEmbedding, toWireModel } from '../wire/model-configs.js';
import { describeRoute } from './documentation.js';

const listQuery = z.object({ provider_name: z.string().optional(), provider_type: z.string().optional() });

/** Which models agents may name. */
export function modelRoutes(app: App, { models, embeddings }: RouteContext): void {
  app.get(
    '/v1/models',
    {
      schema: {
        ...describeRoute('models.list', 'List the models of the configured providers'),
        querystring: listQuery,
        response: { 200: z.array(freeObject) },
      },
    },
    async ({ query }) =>
      (await models.list())
        .map(toWireModel)
        .filter((model) => matches(query.provider_name, model['provider_name']))
        .filter((model) => matches(query.provider_type, model['provider_type'])),
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
