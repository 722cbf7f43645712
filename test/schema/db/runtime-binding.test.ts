import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SettingsError } from '../../../adapters/settings/settings-error.js';
import { bindDatabase, checkBinding, unbindDatabase } from '../../../schema/db/runtime-binding.js';
import { openTestDatabase, type OpenedDatabase, rejection } from '../fixtures.js';

describe('[waits.bound] a database', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  const here = { namespace: 'default', taskQueue: 'perdure' };

  it('is free until a worker binds it, and then refuses other namespaces and task queues', async () => {
    const { db } = database;
    await checkBinding(db, { namespace: 'other', taskQueue: 'other' });
    await bindDatabase(db, here);
    await bindDatabase(db, here);
    await checkBinding(db, here);

    const error = await rejection(bindDatabase(db, { namespace: 'staging', taskQueue: 'perdure' }));

    expect(error).toBeInstanceOf(SettingsError);
    expect((error as SettingsError).problems.map(({ variable }) => variable)).toEqual(['TEMPORAL_NAMESPACE']);
    expect(String(error)).toMatch(
      /is 'staging', but the turns of this database run in 'default'.*npm run rebind/,
    );
    const both = await rejection(checkBinding(db, { namespace: 'staging', taskQueue: 'mine' }));
    expect((both as SettingsError).problems.map(({ variable }) => variable)).toEqual([
      'TEMPORAL_NAMESPACE',
      'PERDURE_TASK_QUEUE',
    ]);
  });

  it('is bound by one of two workers that start at once, and by another once it is unbound', async () => {
    const { db } = database;
    await unbindDatabase(db);

    const begun = await Promise.allSettled(
      ['one', 'two'].map((taskQueue) => bindDatabase(db, { namespace: 'default', taskQueue })),
    );

    expect(begun.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await unbindDatabase(db);
    await bindDatabase(db, { namespace: 'default', taskQueue: 'three' });
  });
});
