import { randomUUID } from 'node:crypto';
import { LettaClient } from 'letta-client-0';
import { problemOf, runAreas } from './areas.js';

/** `@letta-ai/letta-client` 0.1.132 on custom tools: run with a base URL; see areas.ts for what it prints. */
const client = new LettaClient({ baseUrl: process.argv[2] ?? '', token: 'none' });

async function statusOf(call: Promise<unknown>): Promise<number> {
  return (await problemOf(call)).status;
}

async function runCustomTools() {
  const name = `roll_${randomUUID().slice(0, 8)}`;
  const code = `def ${name}(sides: int) -> int:\n    """Rolls a die.\n\n    Args:\n        sides (int): How many.\n    """\n`;
  const made = await client.tools.create({ sourceCode: `${code}    return sides\n` });
  const id = made.id ?? '';
  const again = await client.tools.upsert({ sourceCode: `${code}    return sides - 1\n` });
  await client.tools.modify(id, { tags: ['dice'] });
  const read = await client.tools.retrieve(id);
  const { parameters } = (made.jsonSchema ?? {}) as { parameters?: { properties?: object } };
  const facts = {
    made: [made.name === name, made.toolType, Object.keys(parameters?.properties ?? {})],
    same: again.id === id,
    read: [read.sourceCode?.includes('sides - 1'), read.tags],
    taken: await statusOf(client.tools.create({ sourceCode: `${code}    return 1\n` })),
    wrong: await statusOf(client.tools.create({ sourceCode: 'def broken(:' })),
  };
  await client.tools.delete(id);
  return { ...facts, deleted: await statusOf(client.tools.retrieve(id)) };
}

await runAreas({ custom_tools: runCustomTools });
