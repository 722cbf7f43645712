import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { currentEpoch, startEpoch } from '../../schema/epochs.js';
import { anAgent, type OpenedDatabase, openTestDatabase } from './given.js';

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

  it('of days gone by go when a new one begins, and are kept for a day [epoch.renewed]', async () => {
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
});
