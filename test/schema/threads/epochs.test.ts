import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { attachSource } from '../../../schema/files/agent-sources.js';
import { currentEpoch, startEpoch } from '../../../schema/threads/epochs.js';
import { loadLoopAgent } from '../../../schema/threads/loop-agent.js';
import { createSource, updateSource } from '../../../schema/files/sources.js';
import { anAgent, type OpenedDatabase, openTestDatabase } from '../fixtures.js';

describe('epochs', () => {
  let database: OpenedDatabase;

  beforeAll(async () => {
    database = await openTestDatabase();
  });

  afterAll(() => database.close());

  async function begin(threadId: string, id: string): Promise<void> {
    const figures = { recallMessages: 0, archivalPassages: 0 };
    const epoch = { id, prefix: 'You remember.', tools: [], fingerprint: id, figures, noticeCharacters: 0 };
    await database.db.transaction().execute((tx) => startEpoch(tx, threadId, epoch, []));
  }

  it('are kept for a day, and are then deleted when a new one begins [epoch.renewed]', async () => {
    const [agent, other] = [await anAgent(database.db), await anAgent(database.db)];
    await begin(agent.id, 'epoch-old');
    await begin(other.id, 'epoch-of-other');
    await database.db
      .updateTable('epochs')
      .set({ created_at: new Date(Date.now() - 25 * 60 * 60 * 1000) })
      .execute();
    await begin(agent.id, 'epoch-earlier');

    await begin(agent.id, 'epoch-new');

    const kept = await database.db.selectFrom('epochs').select('id').orderBy('id').execute();
    expect(kept.map(({ id }) => id)).toEqual(['epoch-earlier', 'epoch-new', 'epoch-of-other']);
    expect((await currentEpoch(database.db, other.id))?.id).toBe('epoch-of-other');
  });

  it('change when the text of a source moves from one field to another [epoch.renewed]', async () => {
    const agent = await anAgent(database.db);
    const source = await createSource(database.db, {
      name: 'notes',
      embedding: 'test/embedding',
      chunkSize: 300,
      chunkOverlap: 0,
    });
    await attachSource(database.db, agent.id, source.id);
    const mark = async () =>
      (await loadLoopAgent(database.db, { agentId: agent.id, threadId: agent.id, turnId: '' }))?.filesMark;
    const marks = new Set<string | null | undefined>();

    for (const change of [
      { description: 'Old.', instructions: null },
      { description: null, instructions: 'Old.' },
      { description: '', instructions: 'Old.' },
    ]) {
      await updateSource(database.db, source.id, change);
      marks.add(await mark());
    }

    expect(marks.size).toBe(3);
  });
});
