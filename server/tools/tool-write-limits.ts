import { z } from 'zod';
import type { Db } from '../../schema/db/database.js';
import { notWritable } from '../../schema/tools/write-access.js';
import type { App } from '../deps.js';
import { RequestRefusedError } from '../http/problems.js';

/** Requests that change nothing, whatever their method. */
const reads = /^(GET|HEAD) |\/(search|preview-raw-payload)$|^POST \/v1\/runs\/:run_id\/stream$/;

const id = /\b[a-z]+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
/** Members of a body that hold ids. */
const naming = /(^|_)ids?$/;

/** How deep bodies are searched; none of our requests is deeper. */
const deepest = 12;

/**
 * Limits the writes of running tools to their agent and the agents that it manages, on every route: checks each id in the
 * path, the query and the body. Also refuses a `callback_url`, which would send data out of the sandbox. Answers 403.
 */
export function limitToolWrites(app: App, db: Db): void {
  app.addHook('preValidation', async (request) => {
    const { toolCaller, params, query, body } = request;
    if (toolCaller === null || reads.test(`${request.method} ${request.routeOptions.url ?? ''}`)) return;
    const named = membersOf(body, deepest);
    if (named.some(([name, value]) => name === 'callback_url' && value !== null)) {
      throw new RequestRefusedError(403, 'A running tool sent this and may not set a callback_url.');
    }
    const ids = [
      ...[params, query].flatMap((part) => Object.values(texts.safeParse(part).data ?? {})),
      ...named.flatMap(([name, value]) => (naming.test(name) && typeof value === 'string' ? [value] : [])),
    ].flatMap((text) => text.match(id) ?? []);
    const { agentId } = toolCaller;
    const [first] = await notWritable(db, {
      agentId,
      ids: [...new Set(ids.map((one) => one.toLowerCase()))],
    });
    if (first === undefined) return;
    throw new RequestRefusedError(
      403,
      `A running tool sent this and may not do it: ${first} belongs to agents that ${agentId} does not manage. A tool may write to its own agent, to the agents of groups that this one leads, and to agents that its tools have created.`,
    );
  });
}

const texts = z.record(z.string(), z.string().catch(''));

/** Every value in a body that is not an object or a list, with the name of the member that holds it or its list. */
function membersOf(
  value: unknown,
  depth: number,
  name = '',
): readonly (readonly [name: string, value: unknown])[] {
  if (typeof value !== 'object' || value === null) return [[name, value]];
  if (depth === 0) return [];
  if (Array.isArray(value)) return value.flatMap((item) => membersOf(item, depth - 1, name));
  return Object.entries(value).flatMap(([member, item]) => membersOf(item, depth - 1, member));
}
