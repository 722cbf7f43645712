import { toolTokenHeader } from '../../adapters/custom-tools/tool-runner.js';
import type { Db } from '../../schema/db/database.js';
import { findToolCaller, type ToolCaller } from '../../schema/tools/tokens.js';
import type { App } from '../deps.js';
import { RequestRefusedError } from '../http/problems.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The running tool that sent the request; null for any other sender. */
    toolCaller: ToolCaller | null;
  }
}

/** Recognises running tools by the token that their sandbox adds to a request. Refuses tokens of tools that have ended. */
export function recogniseToolCallers(app: App, db: Db): void {
  app.decorateRequest('toolCaller', null);
  app.addHook('onRequest', async (request) => {
    const token = request.headers[toolTokenHeader];
    if (typeof token !== 'string') return;
    const caller = await findToolCaller(db, token);
    if (caller === undefined) {
      throw new RequestRefusedError(
        401,
        'The tool that sent this has ended, so its token is no longer valid.',
      );
    }
    request.toolCaller = caller;
  });
}
