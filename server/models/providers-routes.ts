import { z } from 'zod';
import { providers } from '../../adapters/models/providers.js';
import type { Models } from '../../adapters/models/model.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { RequestRefusedError } from '../http/problems.js';
import { pageFields } from '../http/fields-wire.js';
import { cutPage } from '../http/list-pages.js';
import { listRoute } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';

const wireProvider = z
  .object({
    id: z.string(),
    name: z.string(),
    provider_type: z.string(),
    provider_category: z.literal('base'),
    base_url: z.string().nullable(),
  })
  .meta({ id: 'Provider' });

const listQuery = z.object({
  ...pageFields(z.string(), 50),
  name: z.string().optional(),
  provider_type: z.string().optional(),
});

const checkQuery = z.object({ provider_type: z.string().min(1).optional() });
const checkHeaders = z.object({ 'x-api-key': z.string().min(1).optional() });

/** The providers that the settings configure. Their keys are never shown. */
export function providerRoutes(app: App, context: RouteContext): void {
  listRoute(
    app,
    {
      ...{ path: '/v1/providers', operation: 'providers.list' },
      summary: 'List the configured providers',
      ...{ query: listQuery, order: 'asc', item: wireProvider },
    },
    ({ query }, page) => {
      const configured = configuredProviders(context.models)
        .filter(({ name }) => [query.name ?? name, query.provider_type ?? name].every((one) => one === name))
        .map(({ name, endpoint }) => ({
          id: `provider-${name}`,
          name,
          provider_type: name,
          provider_category: 'base' as const,
          base_url: endpoint,
        }));
      return cutPage(configured, page);
    },
  );
  checkRoute(app, context);
}

function checkRoute(app: App, { models }: RouteContext): void {
  app.get(
    '/v1/providers/check',
    {
      schema: {
        ...describeRoute(
          'providers.check',
          'Check that a provider accepts its key, or the key in the header `x-api-key`; without a type, checks all that are configured',
        ),
        querystring: checkQuery,
        headers: checkHeaders,
        response: { 200: z.object({ message: z.string() }) },
      },
    },
    async ({ query, headers }) => {
      const { provider_type: asked } = query;
      const apiKey = headers['x-api-key'];
      // One key can't belong to several providers.
      if (asked === undefined && apiKey !== undefined) {
        throw new RequestRefusedError(
          422,
          'query.provider_type: is needed with the header x-api-key. Name the provider of the key.',
        );
      }
      const names = asked === undefined ? configuredProviders(models).map(({ name }) => name) : [asked];
      if (names.length === 0) {
        throw new RequestRefusedError(
          404,
          'No provider is configured. Set the key of one, such as OPENAI_API_KEY.',
        );
      }
      const checks = await Promise.allSettled(names.map((name) => models.check(name, apiKey)));
      const failed = checks.find((check) => check.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      return { message: `Valid api key for provider_type: ${names.join(', ')}` };
    },
  );
}

function configuredProviders(models: Models): { readonly name: string; readonly endpoint: string }[] {
  return providers.flatMap(({ prefixes: [name] }) => {
    const { endpoint } = models.describe(`${name}/model`);
    return endpoint === undefined ? [] : [{ name, endpoint }];
  });
}
