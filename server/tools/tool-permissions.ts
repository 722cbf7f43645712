import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { needsApproval } from '../../core/agents/tool-rules.js';
import { requireAgent } from '../../schema/agents/agents.js';
import type { Db } from '../../schema/db/database.js';
import type { ToolCaller } from '../../schema/tools/tokens.js';
import { listTools } from '../../schema/tools/tools.js';
import type { App } from '../deps.js';
import { RequestRefusedError } from '../http/problems.js';

/** Routes that no running tool may use, by method and path, and what they are for. */
const forPeople: readonly (readonly [route: RegExp, what: string])[] = [
  [/^\w+ \/v1\/mcp-servers\b/, 'MCP servers are registered, changed and called'],
  [/^\w+ \/v1\/tools\/mcp\//, 'MCP servers are registered, changed and called'],
  [/^(POST|PUT|PATCH|DELETE) \/v1\/tools(\/:tool_id|\/run)?$/, 'Tools are made, changed, tried and deleted'],
  [/^POST \/v1\/agents\/import$/, 'Agent files, which bring tools along, are imported'],
  // This route finds agents by name, so the check of ids would not see them.
  [/^POST \/v1\/chat\/completions$/, 'Agents are talked to as models'],
  // One route for every agent, with ids that the check of paths would not see.
  [/^\w+ \/mcp$/, 'MCP is spoken'],
  // These may hold approvals.
  [/^POST \/v1\/(ui\/chat|ag-ui)$/, 'Chats of pages are held'],
  [/^PATCH .*\/tools\/approval\/:tool_name$/, 'Whether calls wait for an approval is said'],
  [/^POST .*\/refinements\/:refinement_id\/(approve|reject)$/, 'Reviews of refined memory are decided'],
];

/** The only routes that code written by a model may use, for its own agent where the route has one. None shows secrets. */
const forModels = [
  /^GET \/v1\/agents\/:agent_id\/(messages|core-memory\/blocks(\/:block_label)?|archival-memory(\/search)?)$/,
  /^GET \/v1\/blocks\/:block_id$/,
  /^POST \/v1\/agents\/:agent_id\/tools\/:tool_name\/run$/,
];

/** The parts of a body that change tools and secrets, and decisions among its messages. */
const guardedBody = z.object({
  tool_rules: z.unknown().optional(),
  secrets: z.unknown().optional(),
  tool_exec_environment_variables: z.unknown().optional(),
  tools: z.array(z.string()).nullish().catch(null),
  tool_ids: z.array(z.string()).nullish().catch(null),
  messages: z
    .array(z.object({ type: z.string().nullish().catch(null) }))
    .nullish()
    .catch(null),
});

const guardedParams = z.object({
  agent_id: z.string().optional(),
  tool_id: z.string().optional(),
  tool_name: z.string().optional(),
});

/**
 * Limits what running tools may request. A tool's token is for agents, messages, blocks, passages and lists. Requests that
 * decide what code runs on the machine, that need a person's consent, or that concern secrets are refused with 403,
 * because a model may have written or misled the code. Code written by a model may only read, and run its agent's tools.
 */
export function checkToolPermissions(app: App, db: Db): void {
  app.addHook('preHandler', async (request) => {
    if (request.toolCaller === null) return;
    const route = `${request.method} ${request.routeOptions.url ?? ''}`;
    if (request.toolCaller.writtenBy === 'model') refuseToModels(request.toolCaller, route, request.params);
    const found = forPeople.find(([kind]) => kind.test(route));
    if (found !== undefined) throw outOfScope(`${found[1]} by people and their programs.`);
    const body = guardedBody.safeParse(request.body ?? {}).data;
    refuseSettings(route, body);
    if (request.method !== 'GET') await refuseGuardedTools(db, request.toolCaller, toWanted(request, body));
  });
}

function refuseToModels(caller: ToolCaller, route: string, params: unknown): void {
  const { agent_id: agentId = caller.agentId } = guardedParams.safeParse(params).data ?? {};
  if (agentId === caller.agentId && forModels.some((kind) => kind.test(route))) return;
  throw outOfScope(
    'Code that a model wrote may read its agent’s messages, blocks and passages, and run the agent’s tools (agents.tools.run). For anything else, have the agent call a tool.',
  );
}

type GuardedBody = z.infer<typeof guardedBody> | undefined;

function refuseSettings(route: string, body: GuardedBody): void {
  if (body === undefined) return;
  if (body.messages?.some(({ type }) => type === 'approval' || type === 'tool_return') === true)
    throw outOfScope('Calls that wait are decided and answered by people and their programs.');
  // A new agent may come with rules and secrets: they don't weaken those of an existing one.
  if (route !== 'PATCH /v1/agents/:agent_id') return;
  const fields = ['tool_rules', 'secrets', 'tool_exec_environment_variables'] as const;
  const field = fields.find((name) => body[name] != null);
  if (field !== undefined) throw outOfScope(`An agent’s ${field} are changed by people and their programs.`);
}

/** Tools that a request would run or attach to an agent. */
interface Wanted {
  readonly agentId: string | undefined;
  readonly ids: readonly string[];
  readonly names: readonly string[];
}

function toWanted({ params }: FastifyRequest, body: GuardedBody): Wanted {
  const { agent_id: agentId, tool_id: id, tool_name: name } = guardedParams.safeParse(params).data ?? {};
  return {
    agentId,
    ids: [...(id === undefined ? [] : [id]), ...(body?.tool_ids ?? [])],
    names: [...(name === undefined ? [] : [name]), ...(body?.tools ?? [])],
  };
}

/**
 * Refuses tools whose calls need an approval under the rules of the agent that has them or of the caller's own agent:
 * otherwise another agent would be a way around the approval.
 */
async function refuseGuardedTools(db: Db, caller: ToolCaller, wanted: Wanted): Promise<void> {
  const { agentId = caller.agentId, ids, names } = wanted;
  if (ids.length + names.length === 0) return;
  const [agents, byId, byName] = await Promise.all([
    Promise.all([...new Set([caller.agentId, agentId])].map((id) => requireAgent(db, id))),
    ids.length === 0 ? [] : listTools(db, { ids }, {}),
    names.length === 0 ? [] : listTools(db, { names }, {}),
  ]);
  const rules = agents.flatMap(({ toolRules }) => toolRules);
  const guarded = [...byId, ...byName].find(
    ({ name, extras }) => needsApproval(rules, name) || extras['default_requires_approval'] === true,
  );
  if (guarded !== undefined)
    throw outOfScope(
      `Calls of ${guarded.name} need an approval. The agent asks for it by calling the tool itself.`,
    );
}

function outOfScope(why: string): RequestRefusedError {
  return new RequestRefusedError(403, `A running tool sent this and may not do it. ${why}`);
}
