import { z } from 'zod';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { RequestRefusedError } from './problems.js';
import { packageVersion } from './version.js';
import { describeRoute } from './route-documentation.js';

const health = z.object({ version: z.string(), status: z.literal('ok') }).meta({ id: 'Health' });

/** The health check: answers 200 where the database answers too. */
export function healthRoutes(app: App, { probe, settings }: RouteContext): void {
  app.get(
    '/v1/health',
    {
      schema: {
        ...describeRoute(
          'health.check',
          'Check that the server and its database answer (503 where they don’t); returns the version',
        ),
        response: { 200: health },
      },
    },
    async () => {
      if (!(await probe.answers())) throw new RequestRefusedError(503, 'The database can’t be reached.');
      return { version: settings.version ?? packageVersion, status: 'ok' as const };
    },
  );
}
