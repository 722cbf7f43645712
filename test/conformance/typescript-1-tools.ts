import { randomUUID } from 'node:crypto';
import { Letta } from 'letta-client-1';
import { calculation, models, problemOf, runAreas } from './areas.js';

/** `@letta-ai/letta-client` 1.12.1 on custom tools: run with a base URL; see areas.ts. */
const client = new Letta({ baseURL: process.argv[2] ?? '', apiKey: 'none' });

async function runCustomTools() {
  const name = `calculate_${randomUUID().slice(0, 8)}`;
  const made = await client.tools.create({ source_code: calculation(name, '+'), tags: ['sums'] });
  const upserted = await client.tools.upsert({ source_code: calculation(name, '*') });
  const changed = await client.tools.update(made.id, { return_char_limit: 99 });
  const agent = await client.agents.create({ ...models, tool_ids: [made.id] });
  const run = await client.agents.tools.run(name, { agent_id: agent.id, args: { a: 21, b: 2 } });
  const [found] = await client.tools.search({ query: name, search_mode: 'fts', tags: ['sums'] });
  const broken = await problemOf(client.tools.create({ source_code: 'def f(:' }));
  await client.tools.delete(made.id);
  return {
    made: [made.name === name, made.tool_type, made.tags, requiredBy(made.json_schema)],
    upserted: [upserted.id === made.id, upserted.tags, upserted.source_code?.includes('a * b')],
    changed: [changed.return_char_limit, changed.source_code?.includes('a * b')],
    run: [run.status, run.func_return],
    found: found?.tool.id === made.id,
    broken,
    deleted: (await problemOf(client.tools.retrieve(made.id))).status,
  };
}

function requiredBy(schema: Record<string, unknown> | null | undefined): unknown {
  return (schema?.['parameters'] as { required?: unknown } | undefined)?.required;
}

await runAreas({ custom_tools: runCustomTools });
