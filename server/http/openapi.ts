import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { App } from '../deps.js';
import { packageVersion } from './version.js';

/** Describes the routes that are registered after it: OpenAPI 3.1 at `/openapi.json`, a page to read it at `/docs`. */
export function registerOpenApi(app: App): void {
  void app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'perdure',
        version: packageVersion,
        description:
          'Agents that remember and outlive crashes. Paths and shapes are those of Letta’s REST API.',
      },
      components: { securitySchemes: { password: { type: 'http', scheme: 'bearer' } } },
      // The page sends the password only with operations that say they take it.
      security: [{ password: [] }],
    },
    transform: withProblems,
    transformObject: jsonSchemaTransformObject,
  });
  void app.register(swaggerUi, {
    routePrefix: '/docs',
    // The bar holds the logo of another project, and a field in which to open any other description.
    theme: {
      title: 'perdure · API',
      css: [{ filename: 'perdure.css', content: '.swagger-ui .topbar { display: none }' }],
    },
    uiConfig: { docExpansion: 'none', filter: true },
  });
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
}

/** What any operation may answer instead: `problems.ts` says when. */
const problem = {
  type: 'object',
  properties: { detail: { type: 'string', description: 'What is wrong, and what to do.' } },
  required: ['detail'],
} as const;
const problems = {
  '4XX': {
    ...problem,
    description:
      'The request can’t be served as it is. 400, 422: wrong input. 401: the password is missing. 403: it may not be asked so. 404: there is no such thing. 409: it does not fit what there is now. 413: too large. 415: another kind of body is needed. 429: later.',
  },
  '5XX': {
    ...problem,
    description:
      'Not the request’s fault. 501: not served here. 502: an MCP server failed. 503: the database, or a provider, can’t be reached now. 504: a model did not answer in time.',
  },
};

const withProblems: typeof jsonSchemaTransform = (input) => {
  const { schema, url } = jsonSchemaTransform(input);
  const done = { 200: { description: 'Done.' } };
  const response = { ...((schema as { response?: object }).response ?? done), ...problems };
  return { schema: { ...schema, response }, url };
};
