import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { App } from '../deps.js';
import type { RouteDocumentation } from './route-documentation.js';
import { packageVersion } from './version.js';

/** Serves the OpenAPI 3.1 description of the routes that are registered after it at `/openapi.json`, and a page of it at `/docs`. */
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
    // The bar shows another project's logo and a field that opens any other description.
    theme: {
      title: 'perdure · API',
      css: [{ filename: 'perdure.css', content: '.swagger-ui .topbar { display: none }' }],
    },
    uiConfig: { docExpansion: 'none', filter: true },
  });
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
}

/** The errors that any operation may answer with; see `problems.ts`. */
const problem = {
  type: 'object',
  properties: { detail: { type: 'string', description: 'What is wrong, and what to do.' } },
  required: ['detail'],
} as const;
const problems = {
  '4XX': {
    ...problem,
    description:
      'The request can’t be served as it is. 400, 422: wrong input. 401: the password is missing or wrong. 403: not allowed. 404: not found. 409: conflict with the current state. 413: too large. 415: another content type is needed. 429: too many requests; try later.',
  },
  '5XX': {
    ...problem,
    description:
      'Not the request’s fault. 501: not implemented here. 502: an MCP server failed. 503: the database or a provider can’t be reached. 504: a model did not answer in time. 507: the disk is full.',
  },
};

const withProblems: typeof jsonSchemaTransform = (input) => {
  const { schema, url } = jsonSchemaTransform(input);
  const {
    response: shapes,
    answers = {},
    ...rest
  } = schema as Partial<RouteDocumentation> & { response?: object };
  const described = Object.entries(answers).map(
    ([status, description]) => [status, { description }] as const,
  );
  const response = { ...(shapes ?? Object.fromEntries(described)), ...problems };
  return { schema: { ...rest, response }, url };
};
