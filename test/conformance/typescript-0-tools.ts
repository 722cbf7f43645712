import { randomUUID } from 'node:crypto';
import { LettaClient } from 'letta-client-0';
import { calculation, problemOf, runAreas } from './areas.js';

/** `@letta-ai/letta-client` 0.1.132 on custom tools: run with a base URL; see areas.ts. */
const client = new LettaClient({ baseUrl: process.argv[2] ?? '', token: 'none' });

async function runCustomTools() {
  const name = `calculate_${randomUUID().slice(0, 8)}`;
  const made = await client.tools.create({ sourceCode: calculation(name, '+'), tags: ['sums'] });
  const id = made.id ?? '';
  const upserted = await client.tools.upsert({ sourceCode: calculation(name, '*') });
  const changed = await client.tools.modify(id, { returnCharLimit: 99 });
  const source = { sourceCode: calculation(name, '-'), args: { a: 44, b: 2 } };
  const tried = await client.tools.runToolFromSource(source);
  const base = await client.tools.upsertBaseTools();
  const broken = await problemOf(client.tools.create({ sourceCode: 'def f(:' }));
  await client.tools.delete(id);
  return {
    made: [made.name === name, made.toolType, made.tags, requiredBy(made.jsonSchema)],
    upserted: [upserted.id === id, upserted.tags, upserted.sourceCode?.includes('a * b')],
    changed: [changed.returnCharLimit, changed.sourceCode?.includes('a * b')],
    tried: [tried.status, tried.toolReturn],
    base: base.some((tool) => tool.name === 'send_message'),
    broken,
    deleted: (await problemOf(client.tools.retrieve(id))).status,
  };
}

function requiredBy(schema: Record<string, unknown> | undefined): unknown {
  return (schema?.['parameters'] as { required?: unknown } | undefined)?.required;
}

await runAreas({ custom_tools: runCustomTools });
