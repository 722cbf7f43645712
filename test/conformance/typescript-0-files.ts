import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { LettaClient } from 'letta-client-0';
import { blocks, models, problemOf, runAreas } from './areas.js';

/** `@letta-ai/letta-client` 0.1.132 on sources, files and jobs: run with a base URL; see areas.ts. */
const baseUrl = process.argv[2] ?? '';
const client = new LettaClient({ baseUrl, token: 'none' });

async function upload(sourceId: string) {
  const file = new File(['Night work is paid double.'], 'rules.md', { type: 'text/markdown' });
  let job = await client.sources.files.upload(file, sourceId);
  for (let asked = 0; asked < 400; asked += 1) {
    if (job.status === 'completed' || job.status === 'failed') return job;
    await delay(100);
    job = await client.jobs.retrieve(job.id ?? '');
  }
  throw new Error('a job does not end');
}

async function runSources() {
  const name = `handbook ${randomUUID()}`;
  const source = await client.sources.create({ name, embedding: models.embedding });
  const id = source.id ?? '';
  const modified = await client.sources.modify(id, { description: 'All rules.' });
  const { embeddingConfig: config } = await client.sources.retrieve(id);
  const job = await upload(id);
  await upload(id);
  const first = await client.sources.files.list(id, { limit: 1 });
  const second = await client.sources.files.list(id, { limit: 1, after: first.at(-1)?.id ?? '' });
  const third = await client.sources.files.list(id, { limit: 1, after: second.at(-1)?.id ?? '' });
  const [oldest] = second;
  const passages = await client.sources.passages.list(id);
  const agent = await client.agents.create({ ...models, memoryBlocks: blocks });
  const attached = await client.agents.sources.attach(agent.id, id);
  const having = await client.agents.sources.list(agent.id);
  const tools = (await client.agents.tools.list(agent.id)).map((tool) => tool.name);
  // This client has no call for it: its agents open files themselves.
  const opening = `${baseUrl}/v1/agents/${agent.id}/files/${oldest?.id ?? ''}/open`;
  await fetch(opening, { method: 'PATCH' });
  const { fileBlocks = [] } = (await client.agents.retrieve(agent.id)).memory;
  await client.agents.sources.detach(agent.id, id);
  const facts = {
    created: [source.name === name, config.handle, config.embeddingChunkSize],
    byName: (await client.sources.retrieveByName(name)) === id,
    modified: modified.description,
    listed: [(await client.sources.list()).some((one) => one.id === id), (await client.sources.count()) > 0],
    job: [job.status, job.jobType],
    jobs: [
      (await client.jobs.list()).some((one) => one.id === job.id),
      !(await client.jobs.listActive()).some((one) => one.id === job.id),
    ],
    files: [oldest?.fileName, processingOf(oldest), totalOf(oldest)],
    pages: [first.length, second.length, third.length],
    passages: [passages.every((one) => one.text === 'Night work is paid double.') && passages.length === 2],
    attached: [
      attached.sources.map((one) => one.id).join() === id,
      having.map((one) => one.id).join() === id,
    ],
    blocks: fileBlocks.map((one) => [one.label?.replace(name, 'handbook'), one.value, one.readOnly]),
    found: tools.includes('semantic_search_files'),
    detached: (await client.agents.sources.list(agent.id)).length,
  };
  await client.jobs.delete(job.id ?? '');
  for (const file of await client.sources.files.list(id))
    await client.sources.files.delete(id, file.id ?? '');
  const left = (await client.sources.passages.list(id)).length;
  await client.sources.delete(id);
  const missing = [
    await problemOf(client.sources.retrieve(id)),
    await problemOf(client.jobs.retrieve(job.id ?? '')),
  ];
  return { ...facts, deleted: [left, ...missing.map((one) => one.status)] };
}

/** Fields that came later than this client: it passes them on as they are on the wire. */
interface Later {
  readonly processing_status?: string;
  readonly processingStatus?: string;
  readonly total_chunks?: number;
  readonly totalChunks?: number;
}

function processingOf(file: object | undefined): string | undefined {
  const later: Later = file ?? {};
  return later.processingStatus ?? later.processing_status;
}

function totalOf(file: object | undefined): number | undefined {
  const later: Later = file ?? {};
  return later.totalChunks ?? later.total_chunks;
}

await runAreas({ sources: runSources });
