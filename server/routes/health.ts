import { z } from 'zod';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { packageVersion } from '../version.js';
import { describeRoute } from './documentation.js';

const health = z.object({ version: z.string(), status: z.literal('ok') }).meta({ id: 'Health' });

/** Whether the server answers. */
export function healthRoutes(app: App, { settings }: RouteContext): void {
  app.get(
    '/v1/health',
    {
      schema: {
        ...describeRoute('health.check', 'Whether the server answers, and its version'),
        response: { 200: health },
      },
    },
    () => ({ version: settings.version ?? packageVersion, status: 'ok' as const }),
  );
}
