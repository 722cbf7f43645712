import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { changeBlock } from '../../../schema/blocks/changes.js';
import { getAgentBlock } from '../../../schema/blocks/agent-blocks.js';
import type { App } from '../../../server/deps.js';
import { wireGroup } from '../../../server/groups/groups-wire.js';
import { wireRefinement, wireRefinementRequest } from '../../../server/refinement/refinements-wire.js';
import { aPair, type Pair, refined, valueOf } from '../../support/agents/partners.js';
import type { TestRuntime } from '../../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../../support/models/scripted-model.js';
import { startRuntimeServer } from '../runtime-app.js';

describe('refinements over REST', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;
  let app: App;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ runtime, app, close } = await startRuntimeServer({ models }));
  });

  afterAll(async () => {
    await close();
  });

  async function call(method: 'GET' | 'POST', url: string, body?: object) {
    const response = await app.inject({ method, url, ...(body === undefined ? {} : { payload: body }) });
    return { status: response.statusCode, body: JSON.parse(response.body) as unknown };
  }

  async function read<T extends z.ZodType>(shape: T, method: 'GET' | 'POST', url: string, body?: object) {
    const answer = await call(method, url, body);
    expect(answer).toMatchObject({ status: 200 });
    return shape.parse(answer.body);
  }

  /** Runs a refinement that proposes to replace the block's text. */
  async function propose(pair: Pair, text: string) {
    const url = `/v1/groups/${pair.group.id}`;
    models.script(saying('I see.'));
    await runtime.tell(pair.agent, text);
    const old_string = await valueOf(runtime, pair.agent, 'human');
    models.script(
      callOf('memory_replace', { label: 'human', old_string, new_string: text }),
      callOf('memory_finish_edits', {}),
    );
    const [request] = await read(z.array(wireRefinementRequest), 'POST', `${url}/refine`, {});
    expect(request).toMatchObject({ cause: 'hand', state: 'waiting', parts: null });
    await refined(runtime, pair);
    const [newest] = await read(z.array(wireRefinement), 'GET', `${url}/refinements?limit=1`);
    return newest!;
  }

  const reviewed = { refinement: { review: true } };
  const blocks = [{ label: 'human', value: 'City: Oslo' }];

  it('shows edits as a difference and merges them on approval [sleep.review] [sleep.by-hand]', async () => {
    const pair = await aPair(runtime, reviewed, { blocks });
    const refinement = await propose(pair, 'City: Bergen');
    const url = `/v1/groups/${pair.group.id}/refinements`;

    expect(refinement).toMatchObject({
      status: 'in_review',
      ended_by: 'finished',
      agent_id: pair.agent.id,
      partner_id: pair.partner.id,
      ranges: [{ thread_id: pair.agent.id }],
      blocks: [
        {
          label: 'human',
          state: 'open',
          base_revision: 1,
          diff: '@@ -1,1 +1,1 @@\n-City: Oslo\n+City: Bergen',
        },
      ],
    });
    expect(await call('GET', `/v1/runs/${refinement.run_ids[0]!}`)).toMatchObject({
      status: 200,
      body: { agent_id: pair.partner.id, status: 'completed', background: true },
    });
    const approved = await read(wireRefinement, 'POST', `${url}/${refinement.id}/approve`);
    expect(approved).toMatchObject({
      status: 'completed',
      blocks: [{ state: 'merged', merged_revision: 2 }],
    });
    expect(await valueOf(runtime, pair.agent, 'human')).toBe('City: Bergen');
    expect(await read(z.array(wireRefinement), 'GET', `${url}?status=in_review`)).toEqual([]);
    const group = await read(wireGroup, 'GET', `/v1/groups/${pair.group.id}`);
    expect(group.last_processed_message_id).toMatch(/^message-/);
    expect(await call('POST', `${url}/${refinement.id}/reject`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("is completed, so it can't be approved") },
    });
  });

  it('answers 409 with both texts when others changed the same lines, and accepts a resolution [sleep.review]', async () => {
    const pair = await aPair(runtime, reviewed, { blocks });
    const refinement = await propose(pair, 'City: Bergen');
    const url = `/v1/groups/${pair.group.id}/refinements/${refinement.id}`;
    const { id } = await getAgentBlock(runtime.db, pair.agent.id, 'human');
    await changeBlock(runtime.db, {
      blockId: id,
      operation: { kind: 'set', value: 'City: Rome' },
      actor: 'user',
    });

    expect(await call('POST', `${url}/approve`)).toMatchObject({
      status: 409,
      body: { conflicts: [{ block_id: id, label: 'human', current: 'City: Rome', yours: 'City: Bergen' }] },
    });
    await read(wireRefinement, 'POST', `${url}/approve`, { values: { [id]: 'City: Rome, then Bergen' } });
    expect(await valueOf(runtime, pair.agent, 'human')).toBe('City: Rome, then Bergen');
  });

  it('answers 409 when a block refuses the sent text, and keeps the refinement in review [sleep.review]', async () => {
    const pair = await aPair(runtime, reviewed, { blocks: [{ label: 'human', value: 'Hi.', limit: 40 }] });
    const refinement = await propose(pair, 'City: Bergen');
    const url = `/v1/groups/${pair.group.id}/refinements/${refinement.id}`;
    const { id } = await getAgentBlock(runtime.db, pair.agent.id, 'human');

    expect(await call('POST', `${url}/approve`, { values: { [id]: 'x'.repeat(41) } })).toMatchObject({
      status: 409,
      body: {
        detail: expect.stringContaining('Exceeds 40 character limit (requested 41)'),
        conflicts: [{ block_id: id, current: 'Hi.', yours: 'City: Bergen' }],
      },
    });
    expect(await valueOf(runtime, pair.agent, 'human')).toBe('Hi.');
    await read(wireRefinement, 'POST', `${url}/approve`);
    expect(await valueOf(runtime, pair.agent, 'human')).toBe('City: Bergen');
  });

  it('drops rejected edits [sleep.review]', async () => {
    const pair = await aPair(runtime, reviewed, { blocks });
    const refinement = await propose(pair, 'City: Bergen');

    const url = `/v1/groups/${pair.group.id}/refinements/${refinement.id}/reject`;
    expect(await read(wireRefinement, 'POST', url)).toMatchObject({
      status: 'rejected',
      blocks: [{ state: 'dropped' }],
    });
    expect(await valueOf(runtime, pair.agent, 'human')).toBe('City: Oslo');
  });

  it('refines from documents and reports the progress [sleep.documents] [sleep.by-hand]', async () => {
    const pair = await aPair(runtime);
    models.script(callOf('memory_finish_edits', {}), callOf('memory_finish_edits', {}));
    const url = `/v1/groups/${pair.group.id}/refine`;

    const documents = [{ name: 'manual.md', text: 'How to sail.' }];
    const [request] = await read(z.array(wireRefinementRequest), 'POST', url, { documents, cycles: 2 });
    await refined(runtime, pair);

    expect(await read(wireRefinementRequest, 'GET', `${url}/${request!.id}`)).toMatchObject({
      state: 'done',
      parts: 1,
      cycles: 2,
      parts_done: 2,
    });
  });

  it('refuses an invalid request with the reason [sleep.by-hand]', async () => {
    const pair = await aPair(runtime);
    const other = await aPair(runtime, reviewed, { blocks });
    const refinement = await propose(other, 'City: Bergen');
    const round = await read(wireGroup, 'POST', '/v1/groups', {
      agent_ids: [pair.agent.id],
      description: 'round',
    });

    expect(await call('POST', `/v1/groups/${round.id}/refine`, {})).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('is of type round_robin') },
    });
    expect(await call('POST', `/v1/groups/${pair.group.id}/refine`, { cycles: 3 })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/cycles: needs `documents`/) },
    });
    const url = `/v1/groups/${pair.group.id}/refinements/${refinement.id}/approve`;
    expect(await call('POST', url)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining(`Refinement with ID ${refinement.id} not found`) },
    });
    const [asked] = await read(
      z.array(wireRefinementRequest),
      'POST',
      `/v1/groups/${pair.group.id}/refine`,
      {},
    );
    await refined(runtime, pair);
    expect(await call('GET', `/v1/groups/${other.group.id}/refine/${asked!.id}`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining(`Refinement request with ID ${asked!.id} not found`) },
    });
    expect(await call('GET', `/v1/groups/${pair.group.id}/refine/${asked!.id}`)).toMatchObject({
      status: 200,
    });
    const missing = 'request-00000000-0000-4000-8000-000000000000';
    expect(await call('GET', `/v1/groups/${pair.group.id}/refine/${missing}`)).toMatchObject({ status: 404 });
  });
});
