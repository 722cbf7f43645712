import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { prepareStep } from '../../../activities/turns/prepare-step.js';
import type { StepInput } from '../../../activities/turns/step-input.js';
import { noExtensions } from '../../../adapters/extensions/open-extensions.js';
import { anAgent, openTestDatabase, type OpenedDatabase, rejection } from '../../schema/fixtures.js';
import { createScriptedModels } from '../../support/models/scripted-model.js';

let database: OpenedDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

it('[turn.small-fences] a write that fails while the step’s budget is read ends the step, not the worker', async () => {
  const { db } = database;
  const { id } = await anAgent(db);
  const fence = { turnId: `run-${randomUUID()}`, executionId: randomUUID() };
  await db
    .insertInto('turns')
    .values({
      ...{ id: fence.turnId, thread_id: id, agent_id: id, state: 'running' },
      ...{ execution_id: fence.executionId, options: '{}' },
    })
    .execute();
  const deps = { db, models: createScriptedModels(), extensions: noExtensions };
  const prepare = (index: number, reason: StepInput['reason']) =>
    prepareStep(deps, fence, {
      ...{ threadId: id, agentId: id, turnId: fence.turnId, index, reason },
      ...{ mustFit: false },
    });
  expect(await prepare(0, null)).toMatchObject({ kind: 'ready' });
  await sql`update turns set options = '{"refinement": "refinement-1"}'`.execute(db);
  await sql`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'No room.'; end $$`.execute(db);
  await sql`create trigger refuse before insert on messages execute function refuse()`.execute(db);

  const unheard: unknown[] = [];
  const hear = (error: unknown): void => void unheard.push(error);
  process.on('unhandledRejection', hear);
  // The query for the budget finds the transaction broken. The caller gets the failure that broke it (P0001).
  const error = await rejection(prepare(1, { kind: 'tool_called' }));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', hear);

  expect(error).toMatchObject({ code: 'P0001' });
  expect(unheard).toEqual([]);
});
