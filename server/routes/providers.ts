import { z } from 'zod';
import { providers } from '../../adapters/models/providers.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { describeRoute } from './documentation.js';

const wireProvider = z
  .object({
    id: z.string(),
    name: z.string(),
    provider_type: z.string(),
    provider_category: z.literal('base'),
    base_url: z.string().nullable(),
  })
  .meta({ id: 'Provider' });

const listQuery = z.object({ name: z.string().optional(), provider_type: z.string().optional() });

/** The providers that the settings configure. Their keys are never shown. */
export function providerRoutes(app: App, { models }: RouteContext): void {
  app.get(
    '/v1/providers',
    {
      schema: {
        ...describeRoute('providers.list', 'List the configured providers'),
        querystring: listQuery,
        response: { 200: z.array(wireProvider) },
      },
    },
    ({ query }) =>
      providers
        .map(({ prefixes: [name] }) => ({ name, endpoint: models.describe(`${name}/model`).endpoint }))
        .filter(({ endpoint }) => endpoint !== undefined)
        .filter(({ name }) => [query.name ?? name, query.provider_type ?? name].every((one) => one === name))
        .map(({ name, endpoint = null }) => ({
          id: `provider-${name}`,
          name,
          provider_type: name,
          provider_category: 'base' as const,
          base_url: endpoint,
        })),
  );
}
