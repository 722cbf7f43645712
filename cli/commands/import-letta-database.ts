import { type Imported, type ImportOptions, sendAgentFile } from '../agent-files.js';
import type { Context } from '../command-context.js';
import { CommandFailure, refusalOf } from '../failure.js';
import { isUsable, lettaIdKey, toAgentFile } from '../letta-database/agent-file.js';
import { type Ask, readLettaDatabase } from '../letta-database/connection.js';
import { type Family, readFamilies } from '../letta-database/families.js';
import { type LeftOut, listLeftOut } from '../letta-database/left-out.js';
import { type LettaRows, readRows } from '../letta-database/rows.js';
import { toFigure } from '../render/times.js';

/** What became of an agent of a Letta database. */
interface AgentOutcome {
  readonly name: string;
  readonly letta_id: string;
  /** The agent here; null: it was refused. */
  readonly agent_id: string | null;
  readonly state: 'imported' | 'was here' | 'refused';
  readonly blocks: number;
  readonly messages: number;
  readonly passages: number;
  readonly tools: number;
}

interface FamilyOutcome {
  readonly agents: readonly AgentOutcome[];
  readonly left_out: readonly LeftOut[];
  readonly notes: readonly string[];
  readonly error?: string;
}

/**
 * `perdure import-letta --database`: makes the agents of a Letta server's database. Agents that share something come
 * over in one transaction, and one whose Letta id an agent here has in its metadata does not come again.
 */
export async function importDatabase(context: Context, url: string, options: ImportOptions): Promise<void> {
  const here = await readImported(context);
  const outcomes = await readLettaDatabase(url, async (ask) => {
    const families = await readFamilies(ask);
    const done: FamilyOutcome[] = [];
    for (const [place, family] of families.entries()) {
      context.terminal.tell(`${place + 1} of ${families.length}: ${nameOf(family)} …\n`);
      done.push(await importFamily({ context, ask, here, options }, family));
    }
    return done;
  });
  const agents = outcomes.flatMap((one) => one.agents);
  const leftOut = outcomes.flatMap((one) => one.left_out);
  const notes = [...new Set(outcomes.flatMap((one) => one.notes))];
  const errors = outcomes.flatMap(({ error, agents: family }) =>
    error === undefined ? [] : [{ agents: family.map(({ name }) => name), error }],
  );
  context.result({ agents, left_out: leftOut, notes, errors }, () => [
    ...renderAgents(context, agents),
    ...leftOut.map(({ what, why }) => `left out: ${what}: ${why}`),
    ...notes,
    ...errors.map((one) => `${one.agents.join(', ')}: ${one.error}`),
  ]);
  const refused = agents.filter(({ state }) => state === 'refused').length;
  if (refused > 0)
    throw new CommandFailure('failed', `${refused} of ${agents.length} agents were not imported.`);
}

function renderAgents(context: Context, agents: readonly AgentOutcome[]): readonly string[] {
  if (agents.length === 0) return ['The database has no agents.'];
  return context.table({
    head: ['agent', 'state', 'id', 'blocks', 'messages', 'passages', 'tools'],
    figures: [3, 4, 5, 6],
    rows: agents.map((one) => [
      ...[one.name, one.state, one.agent_id ?? ''],
      ...[one.blocks, one.messages, one.passages, one.tools].map(toFigure),
    ]),
  });
}

function nameOf(family: Family): string {
  const [first] = family;
  return family.length === 1 ? (first?.name ?? '') : `${first?.name ?? ''} and ${family.length - 1} more`;
}

const page = 500;

/** The agents here that came from Letta, by their ids there. */
async function readImported({ rest }: Context): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let after: string | undefined; ;) {
    const agents = await rest.get<{ id: string; metadata: Record<string, unknown> | null }[]>('/v1/agents', {
      ...{ limit: page, order: 'asc', show_hidden_agents: true, after },
    });
    for (const { id, metadata } of agents) {
      const lettaId = metadata?.[lettaIdKey];
      if (typeof lettaId === 'string') found.set(lettaId, id);
    }
    if (agents.length < page) return found;
    after = agents.at(-1)?.id;
  }
}

interface Work {
  readonly context: Context;
  readonly ask: Ask;
  readonly here: ReadonlyMap<string, string>;
  readonly options: ImportOptions;
}

async function importFamily({ context, ask, here, options }: Work, family: Family): Promise<FamilyOutcome> {
  const known = family.filter(({ id }) => here.has(id));
  const fresh = family.filter(({ id }) => !here.has(id));
  const wasHere = known.map(({ id, name }) => ({
    ...{ name, letta_id: id, agent_id: here.get(id) ?? null, state: 'was here' as const },
    ...{ blocks: 0, messages: 0, passages: 0, tools: 0 },
  }));
  if (fresh.length === 0) return { agents: wasHere, left_out: [], notes: [] };
  const rows = await readRows(
    ask,
    fresh.map(({ id }) => id),
  );
  const copies =
    known.length === 0
      ? []
      : [
          `${nameOf(fresh)}: what it shares with ${nameOf(known)}, which was imported earlier, was copied. Attach the shared parts again.`,
        ];
  try {
    const made = await send(context, rows, options);
    const agents = rows.agents.map((agent, place) => ({
      ...figuresOf(agent, rows),
      ...{ agent_id: made.agent_ids[place] ?? null, state: 'imported' as const },
    }));
    return {
      agents: [...wasHere, ...agents],
      left_out: listLeftOut(rows),
      notes: [...copies, ...(made.notes ?? [])],
    };
  } catch (error) {
    const agents = rows.agents.map((agent) => ({
      ...figuresOf(agent, rows),
      ...{ agent_id: null, state: 'refused' as const },
    }));
    return { agents: [...wasHere, ...agents], left_out: [], notes: [], error: refusalOf(error).message };
  }
}

async function send(context: Context, rows: LettaRows, options: ImportOptions): Promise<Imported> {
  const embedding = options.embedding ?? (await embeddingOf(context, rows));
  const bytes = new TextEncoder().encode(JSON.stringify(toAgentFile(rows, embedding)));
  // The model is given again as a wish: then the server embeds the passages with it.
  return sendAgentFile(context, { bytes, name: 'letta.af' }, { ...options, embedding });
}

/** The embedding model of the first agent that has one, else the server's first. */
async function embeddingOf({ rest }: Context, { agents }: LettaRows): Promise<string> {
  for (const { embedding_config: config } of agents) {
    const { handle, embedding_endpoint_type: type, embedding_model: model } = config ?? {};
    if (handle != null) return handle;
    if (type != null && model != null) return `${type}/${model}`;
  }
  const [first] = await rest.get<{ handle: string }[]>('/v1/models/embedding');
  if (first === undefined) throw new CommandFailure('failed', 'The server has no embedding model.');
  return first.handle;
}

function figuresOf(agent: LettaRows['agents'][number], rows: LettaRows) {
  const archives = new Set(agent.archives.map(({ id }) => id));
  return {
    name: agent.name ?? agent.id,
    letta_id: agent.id,
    blocks: agent.block_ids.length,
    messages: rows.messages.filter(({ agent_id: id }) => id === agent.id).length,
    passages: rows.passages.filter(({ archive_id: id }) => archives.has(id)).length,
    tools: rows.tools.filter((tool) => isUsable(tool) && agent.tool_ids.includes(tool.id)).length,
  };
}
