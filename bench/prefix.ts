import { type Selectable, sql } from 'kysely';
import { countTokens } from '../adapters/tokens.js';
import type { ModelMessage } from '../core/models/model.js';
import type { Db } from '../schema/db/database.js';
import type { BlockRevisionsTable } from '../schema/blocks/tables.js';
import { makeAgent, post, say } from './api.js';
import type { BenchStack } from './bench-stack.js';
import { judged, print, shown, table } from './figures.js';
import type { ModelNotice, RecordedRequest } from './instant-model.js';
import { readMemory } from './memory-reader.js';

const turns = 100;
/** After so many turns another agent edits the block that both share. */
const othersEvery = 3;
/** Small enough for evictions during the run. */
const contextWindow = 32_000;
const aim = 95;
const said =
  'Good morning. We were out at sea again yesterday, from the harbour past the lighthouse and back before the rain came, and I kept thinking of what you said about the tides. Would you write down how far we got, and what we should do differently the next time?';

/** The requests that the model received from one agent, and the value of its block at each of them. */
interface Trace {
  readonly requests: readonly RecordedRequest[];
  readonly truths: readonly string[];
  readonly epochs: number;
}

/** Measures how much of the prompts a provider's prefix cache can reuse. The control renders the prompt again at each edit. */
export async function benchPrefix(bench: BenchStack): Promise<void> {
  const ours = await runTrace(bench, () => Promise.resolve());
  const control = await runTrace(bench, (agentId) => renderAtEveryEdit(bench.database.db, agentId));
  print(
    `\n## Prefix: share of prompt tokens that a prefix cache can reuse, ${turns} turns of two steps and one edit each\n`,
  );
  const head = [
    'prompt',
    'requests',
    'prompt tokens',
    'unchanged prefix',
    'times rendered',
    'newest value in view',
  ];
  const measured = measure(ours);
  print(
    table([
      head,
      rowOf('epochs and notices', measured),
      rowOf('control: rendered again at each edit', measure(control)),
    ]),
  );
  print(`\nUnchanged prefix, %: ${judged(measured.share, aim, 'higher')}`);
}

async function runTrace(bench: BenchStack, prepare: (agentId: string) => Promise<void>): Promise<Trace> {
  const { stack, model, database } = bench;
  const agentId = await makeAgent(stack, 'note-1', contextWindow);
  const [block] = await database.db
    .selectFrom('agent_blocks')
    .select('block_id')
    .where('agent_id', '=', agentId)
    .where('label', '=', 'human')
    .execute();
  const blockId = block?.block_id ?? '';
  const other = await post<{ id: string }>(stack, '/v1/agents/', {
    ...{ agent_type: 'memgpt_agent', model: 'openai/memo-1', embedding: 'perdure/use-lite' },
    block_ids: [blockId],
  });
  await prepare(agentId);
  const requests: RecordedRequest[] = [];
  const keep = (notice: ModelNotice): void => {
    if ('recorded' in notice && notice.recorded.tools !== undefined) requests.push(notice.recorded);
  };
  model.process.on('message', keep);
  model.process.send({ record: 'note-1' });
  for (let turn = 1; turn <= turns; turn += 1) {
    await say(stack, agentId, { text: said });
    if (turn % othersEvery === 0) await say(stack, other.id, { text: said });
  }
  model.process.off('message', keep);
  return { requests, ...(await readTruths(database.db, agentId, blockId)) };
}

/** Ends the agent's epoch at each change of one of its blocks, so that the next step renders the prefix again. */
async function renderAtEveryEdit(db: Db, agentId: string): Promise<void> {
  await sql
    .raw(
      `create function bench_end_epoch() returns trigger language plpgsql as $$
      begin
        update threads set epoch_id = null from agent_blocks
          where agent_blocks.block_id = new.block_id and agent_blocks.agent_id = threads.agent_id
            and threads.agent_id = '${agentId}';
        return null;
      end $$`,
    )
    .execute(db);
  await sql`create trigger bench_end_epoch after insert on block_revisions
    for each row execute function bench_end_epoch()`.execute(db);
}

/** Reads from the revisions which value the shared block had at each step of the agent. */
async function readTruths(
  db: Db,
  agentId: string,
  blockId: string,
): Promise<Pick<Trace, 'truths' | 'epochs'>> {
  const truths = await sql<Pick<Selectable<BlockRevisionsTable>, 'value'>>`
    select (select r.value from block_revisions r where r.block_id = ${blockId} and r.created_at <= s.created_at
      order by r.revision desc limit 1) as value
    from steps s where s.agent_id = ${agentId} order by s.created_at`.execute(db);
  const epochs = await db.selectFrom('epochs').select('id').where('thread_id', '=', agentId).execute();
  return { truths: truths.rows.map((row) => row.value), epochs: epochs.length };
}

interface Measured {
  readonly requests: number;
  readonly tokens: number;
  /** Per cent. */
  readonly share: number;
  readonly epochs: number;
  readonly fresh: number;
}

function measure({ requests, truths, epochs }: Trace): Measured {
  const counted = requests.map((request) =>
    partsOf(request).map((part) => ({ part, tokens: tokensOf(part) })),
  );
  let tokens = 0;
  let kept = 0;
  counted.forEach((parts, index) => {
    tokens += parts.reduce((sum, part) => sum + part.tokens, 0);
    const before = counted[index - 1] ?? [];
    const same = parts.findIndex(({ part }, at) => before[at]?.part !== part);
    const whole = same === -1 ? parts.length : same;
    kept += parts.slice(0, whole).reduce((sum, part) => sum + part.tokens, 0);
    kept += tokensOf(commonStart(parts[whole]?.part ?? '', before[whole]?.part ?? ''));
  });
  const fresh = requests.filter((request, index) => {
    const known = readMemory(request.messages.map(toModelMessage)).get('human');
    return known !== undefined && known === truths[index];
  });
  return { requests: requests.length, tokens, share: (100 * kept) / tokens, epochs, fresh: fresh.length };
}

function rowOf(name: string, { requests, tokens, share, epochs, fresh }: Measured): string[] {
  return [
    name,
    String(requests),
    String(tokens),
    `${shown(share)} %`,
    String(epochs),
    `${fresh} of ${requests}`,
  ];
}

/** In the order in which providers read a request. */
function partsOf({ tools, messages }: RecordedRequest): string[] {
  return [JSON.stringify(tools), ...messages.map((message) => JSON.stringify(message))];
}

const counts = new Map<string, number>();

function tokensOf(text: string): number {
  const known = counts.get(text) ?? countTokens(text);
  counts.set(text, known);
  return known;
}

function commonStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}

function toModelMessage(message: RecordedRequest['messages'][number]): ModelMessage {
  const content = typeof message.content === 'string' ? message.content : '';
  switch (message.role) {
    case 'assistant': {
      const calls = message.tool_calls ?? [];
      return {
        role: 'assistant',
        content,
        toolCalls: calls.map(({ id, function: made }) => ({ id, ...made })),
      };
    }
    case 'tool':
      return { role: 'tool', toolCallId: message.tool_call_id ?? '', content };
    case 'system':
    case 'user':
      return { role: message.role, content };
  }
}
