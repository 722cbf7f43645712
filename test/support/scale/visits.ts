/** An answer of the REST API. */
export interface Visited {
  readonly status: number;
  readonly body: unknown;
}

/** Asks the REST API, by whatever way it is reached. */
export type Visit = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<Visited>;

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number)[];
  readonly const?: string;
  readonly anyOf?: readonly Schema[];
}

interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
}

/** The description of the API that it gives of itself. */
export interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Ids by the name that they have in paths and queries. */
export type KnownIds = Readonly<Record<string, string>>;

/** What does not end by itself, or reads the whole of what it is asked for: an agent's file, a count. */
const leftOut = /stream|events|export|count/i;

/**
 * Reads every list and every thing that the API can be asked for, with each value of each choice that it names, and the
 * next page. Where an id is asked for that isn't known, it is left out. Returns the paths that were asked.
 */
export async function visitReads(
  visit: Visit,
  description: ApiDescription,
  ids: KnownIds,
): Promise<readonly string[]> {
  const visited: string[] = [];
  for (const [path, operation] of operationsOf(description, 'get')) {
    const filled = withIds(path, ids);
    if (filled === undefined || leftOut.test(path)) continue;
    const get = async (query: string): Promise<Visited> => {
      const asked = query === '' ? filled : `${filled}?${query}`;
      visited.push(asked);
      const answer = await visit('GET', asked);
      if (answer.status === 500) throw new Error(`GET ${asked} answered ${answer.status}`);
      return answer;
    };
    const first = await get('');
    for (const query of queriesOf(operation, ids, lastIdIn(first.body))) await get(query);
  }
  return visited;
}

/** Gives an agent one of each thing that deletes are asked for. Returns their ids. */
export async function makeDeletable(visit: Visit, agentId: string): Promise<KnownIds> {
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await visit('POST', path, body);
    const thing = (Array.isArray(answer.body) ? answer.body[0] : answer.body) as { id?: string } | null;
    if (thing?.id === undefined) throw new Error(`POST ${path}: ${JSON.stringify(answer)}`);
    return thing.id;
  };
  return {
    conversation_id: await made(`/v1/conversations?agent_id=${agentId}`, {}),
    memory_id: await made(`/v1/agents/${agentId}/archival-memory`, { text: 'The sea.' }),
    source_id: await made('/v1/sources', { name: `of ${agentId}` }),
    identity_id: await made('/v1/identities', {
      ...{ identifier_key: agentId, name: 'Sid', identity_type: 'user', agent_ids: [agentId] },
    }),
    group_id: await made('/v1/groups', { description: 'Two', agent_ids: [agentId] }),
  };
}

/** Deletes one thing of each kind, `ids` of which are known, what others have in them last. Returns the paths. */
export async function visitDeletes(
  visit: Visit,
  description: ApiDescription,
  ids: KnownIds,
): Promise<readonly string[]> {
  const asked = operationsOf(description, 'delete')
    .flatMap(([path]) => withIds(path, ids) ?? [])
    .sort((one, other) => other.length - one.length);
  for (const path of asked) {
    const { status, body } = await visit('DELETE', path);
    if (status === 500) throw new Error(`DELETE ${path} answered ${status}: ${JSON.stringify(body)}`);
  }
  return asked;
}

function operationsOf(
  { paths }: ApiDescription,
  method: string,
): readonly (readonly [path: string, operation: Operation])[] {
  return Object.entries(paths).flatMap(([path, methods]) => {
    const operation = methods[method];
    return operation === undefined ? [] : [[path, operation] as const];
  });
}

function withIds(path: string, ids: KnownIds): string | undefined {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => ids[name] ?? whole);
  return filled.includes('{') ? undefined : filled;
}

function queriesOf(operation: Operation, ids: KnownIds, last: string | undefined): readonly string[] {
  return (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name, schema }) => {
      if (name === 'before' || name === 'after') return last === undefined ? [] : [`${name}=${last}`];
      const known = ids[name] ?? ids[name.replace(/s$/, '')];
      const values = known === undefined ? choicesOf(schema) : [known];
      return values.map((value) => `${name}=${encodeURIComponent(value)}`);
    });
}

function choicesOf(schema: Schema): readonly string[] {
  if (schema.enum !== undefined) return schema.enum.map(String);
  if (schema.const !== undefined) return [schema.const];
  if (schema.type === 'boolean') return ['true', 'false'];
  return (schema.anyOf ?? []).flatMap(choicesOf);
}

function lastIdIn(body: unknown): string | undefined {
  const list: unknown = Array.isArray(body) ? body : Object.values(body ?? {}).find(Array.isArray);
  if (!Array.isArray(list)) return undefined;
  const last = list.at(-1) as { readonly id?: unknown } | undefined;
  return typeof last?.id === 'string' ? last.id : undefined;
}
