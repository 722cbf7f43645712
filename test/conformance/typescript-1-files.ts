import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { Letta } from 'letta-client-1';
import { blocks, collect, models, problemOf, runAreas } from './areas.js';

/** `@letta-ai/letta-client` 1.12.1 on folders and files: run with a base URL; see areas.ts. */
const client = new Letta({ baseURL: process.argv[2] ?? '', apiKey: 'none' });

async function upload(folderId: string) {
  const file = new File(['Night work is paid double.'], 'rules.md', { type: 'text/markdown' });
  const { id } = await client.folders.files.upload(folderId, { file });
  for (let asked = 0; asked < 400; asked += 1) {
    const now = await client.folders.files.retrieve(id, { folder_id: folderId });
    if (now.processing_status === 'completed' || now.processing_status === 'error') return now;
    await delay(100);
  }
  throw new Error(`file ${id} does not end`);
}

async function runFolders() {
  const name = `handbook ${randomUUID()}`;
  const folder = await client.folders.create({ name, embedding: models.embedding });
  const others = [];
  for (let count = 0; count < 2; count += 1) {
    others.push(await client.folders.create({ name: `${name} ${count}`, embedding: models.embedding }));
  }
  const updated = await client.folders.update(folder.id, { description: 'All rules.' });
  const { embedding_config: config } = await client.folders.retrieve(folder.id);
  const page = await client.folders.list({ limit: 2, after: folder.id, order: 'asc' });
  const rest = page.hasNextPage() ? (await page.getNextPage()).items : [];
  const file = await upload(folder.id);
  await upload(folder.id);
  const { content } = await client.folders.files.retrieve(file.id, {
    folder_id: folder.id,
    include_content: true,
  });
  const names = (await collect(client.folders.files.list(folder.id, { limit: 1, order: 'asc' }))).map(
    (one) => one.file_name,
  );
  const agent = await client.agents.create({ ...models, memory_blocks: blocks });
  await client.agents.folders.attach(folder.id, { agent_id: agent.id });
  const having = await collect(client.agents.folders.list(agent.id));
  const holders = await client.folders.agents.list(folder.id);
  const within = await collect(client.agents.files.list(agent.id, { limit: 1 }));
  const opened = await client.agents.files.open(file.id, { agent_id: agent.id });
  const openFiles = async () =>
    (await collect(client.agents.files.list(agent.id))).filter((one) => one.is_open);
  const shown = await openFiles();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- programs of its time read it
  const fileBlocks = (await client.agents.retrieve(agent.id)).memory.file_blocks ?? [];
  await client.agents.files.close(file.id, { agent_id: agent.id });
  const still = await openFiles();
  await client.agents.files.open(file.id, { agent_id: agent.id });
  const closed = await client.agents.files.closeAll(agent.id);
  const tools = (await collect(client.agents.tools.list(agent.id))).map((tool) => tool.name);
  await client.agents.folders.detach(folder.id, { agent_id: agent.id });
  const facts = {
    created: [folder.name === name, config.handle, config.embedding_chunk_size],
    updated: updated.description,
    pages: [page.items.length, !rest.some((one) => one.id === folder.id)],
    file: [file.file_name, file.processing_status, file.total_chunks],
    content,
    names,
    attached: [
      having.map((one) => one.id).join() === folder.id,
      JSON.stringify(holders) === JSON.stringify([agent.id]),
      within.map((one) => one.file_name).join() === names.join(),
    ],
    opened: [opened, shown.map((one) => one.file_name), shown[0]?.visible_content],
    blocks: fileBlocks.map((one) => [
      ...[one.label?.replace(name, 'handbook'), one.value, one.is_open],
      one.file_id === file.id,
    ]),
    closed: [still.length, closed],
    found: tools.includes('semantic_search_files'),
    detached: (await collect(client.agents.folders.list(agent.id))).length,
  };
  await client.folders.files.delete(file.id, { folder_id: folder.id });
  const left = (await collect(client.folders.files.list(folder.id))).length;
  for (const one of [folder, ...others]) await client.folders.delete(one.id);
  const { status } = await problemOf(client.folders.retrieve(folder.id));
  return { ...facts, deleted: [left, status] };
}

await runAreas({ folders: runFolders });
