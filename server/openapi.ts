import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { App } from './deps.js';
import { packageVersion } from './version.js';

/** Describes the routes that are registered after it: OpenAPI 3.1 at `/openapi.json`, a page to read it at `/docs`, to which `/` leads. */
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
    transform: jsonSchemaTransform,
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
  // Whoever opens the server's address in a browser.
  app.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/docs'));
}
