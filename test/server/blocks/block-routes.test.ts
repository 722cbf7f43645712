import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { changeBlock } from '../../../schema/blocks/changes.js';
import { listRevisions } from '../../../schema/blocks/revisions.js';
import { issueToolToken } from '../../../schema/tools/tokens.js';
import {
  wireBlamedLine,
  wireDifference,
  wireRevision,
  wireRevisionWithValue,
} from '../../../server/blocks/revisions-wire.js';
import { wireAgent } from '../../../server/agents/agents-wire.js';
import { wireBlock, type WireBlock } from '../../../server/blocks/blocks-wire.js';
import { type Answer, startTestServer, type TestServer } from '../test-server.js';

describe('shared blocks over REST', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(() => server.close());

  const aBlock = (body: object = {}): Promise<WireBlock> =>
    server.read(wireBlock, 'POST', '/v1/blocks/', { body: { label: 'notes', value: 'one\ntwo', ...body } });
  const operate = (id: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
    server.call('POST', `/v1/blocks/${id}/operations`, { body, headers });

  it('[block.operations-rest] applies every operation to the current value', async () => {
    const { id } = await aBlock();

    const answers = [
      await operate(id, { kind: 'append', content: 'three' }),
      await operate(id, { kind: 'insert', content: 'zero', line: 0 }),
      await operate(id, { kind: 'insert', content: 'four' }),
      await operate(id, { kind: 'replace', old: 'two', new: '2' }),
      await operate(id, { kind: 'replace', old: 'o', new: '0', all: true }),
    ];

    expect(answers.map(({ body }) => (body as WireBlock).value)).toEqual([
      'one\ntwo\nthree',
      'zero\none\ntwo\nthree',
      'zero\none\ntwo\nthree\nfour',
      'zero\none\n2\nthree\nfour',
      'zer0\n0ne\n2\nthree\nf0ur',
    ]);
    expect(answers.map(({ headers }) => headers['etag'])).toEqual(['"2"', '"3"', '"4"', '"5"', '"6"']);
    expect(await operate(id, { kind: 'rewrite', value: 'new', base: 6 })).toMatchObject({ status: 200 });
    expect(await operate(id, { kind: 'set', value: 'newer' })).toMatchObject({ status: 200 });
    expect(await operate(id, { kind: 'replace', old: 'gone', new: '' })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/did not appear verbatim.*current value is:\nnewer/s) },
    });
    expect(await operate(id, { kind: 'shuffle' })).toMatchObject({ status: 422 });
  });

  it('[block.operations-rest] applies an operation once per block and idempotency key', async () => {
    const [one, other] = [await aBlock(), await aBlock()];
    const key = { 'idempotency-key': 'my-key' };
    const append = { kind: 'append', content: 'three' };

    const first = await operate(one.id, append, key);
    await operate(one.id, { kind: 'append', content: 'four' });
    const again = await operate(one.id, append, key);

    expect(again.body).toMatchObject({ value: 'one\ntwo\nthree', revision: 2 });
    expect(again.headers['etag']).toBe(first.headers['etag']);
    expect((await server.call('GET', `/v1/blocks/${one.id}`)).body).toMatchObject({
      value: 'one\ntwo\nthree\nfour',
    });
    expect((await operate(other.id, append, key)).body).toMatchObject({ value: 'one\ntwo\nthree' });
  });

  it('[tools.token] records a tool’s edits with the tool as author, and with run, step and call', async () => {
    const agent = await server.anAgent();
    const caller = { agentId: agent.id, turnId: 'run-1', stepId: 'step-1', toolCallId: 'call-1' };
    const token = await issueToolToken(server.db, { ...caller, effectId: 'effect-1' }, 60_000);
    const asTool = { 'x-perdure-tool-token': token };
    const { id } = await aBlock();

    const append = { kind: 'append', content: 'three' };
    await operate(id, append, { ...asTool, 'idempotency-key': 'once' });
    await operate(id, append, { ...asTool, 'idempotency-key': 'once' });
    await server.call('POST', `/v1/blocks/${id}/undo`, { headers: asTool });
    await server.call('POST', `/v1/blocks/${id}/redo`, { headers: asTool });
    await server.call('POST', `/v1/blocks/${id}/restore`, { headers: asTool, body: { revision: 1 } });

    const revisions = await listRevisions(server.db, id);
    expect(revisions.map(({ operation }) => operation.kind)).toEqual([
      ...['restore', 'redo', 'undo', 'append', 'create'],
    ]);
    expect(revisions.slice(0, 4)).toEqual(
      Array.from({ length: 4 }, () => expect.objectContaining({ actor: 'tool', ...caller }) as unknown),
    );
  });

  it('[block.conflict-difference] answers a write on an outdated base with 409, the current value and the difference', async () => {
    const { id } = await aBlock();
    await operate(id, { kind: 'replace', old: 'two', new: 'TWO' });
    const conflict = {
      status: 409,
      headers: { 'x-should-retry': 'false' },
      body: {
        detail: expect.stringMatching(/is at revision 2 now/),
        block_id: id,
        revision: 2,
        value: 'one\nTWO',
        base_revision: 1,
        difference: '@@ -1,2 +1,2 @@\n one\n-two\n+TWO',
      },
    };
    const late = { headers: { 'if-match': '"1"' } };

    expect(await operate(id, { kind: 'rewrite', value: 'mine', base: 1 })).toMatchObject(conflict);
    expect(await operate(id, { kind: 'append', content: 'x' }, late.headers)).toMatchObject(conflict);
    expect(
      await server.call('PATCH', `/v1/blocks/${id}`, { body: { value: 'mine' }, ...late }),
    ).toMatchObject(conflict);
    expect(
      await server.call('PATCH', `/v1/blocks/${id}`, { body: { description: 'd' }, ...late }),
    ).toMatchObject(conflict);
    expect(await server.call('POST', `/v1/blocks/${id}/undo`, late)).toMatchObject(conflict);
    expect((await server.call('GET', `/v1/blocks/${id}`)).body).toMatchObject({
      value: 'one\nTWO',
      description: null,
    });
  });

  it('[block.etag] sends an ETag with every block, by id and by label, and deletes only on a match', async () => {
    const agent = await server.anAgent({ memory_blocks: [{ label: 'plan', value: 'a' }] });
    const byLabel = `/v1/agents/${agent.id}/core-memory/blocks/plan`;
    const etagOf = async (answer: Promise<Answer>) => (await answer).headers['etag'];

    expect(await etagOf(server.call('POST', '/v1/blocks', { body: { label: 'l', value: '' } }))).toBe('"1"');
    expect(await etagOf(server.call('GET', byLabel))).toBe('"1"');
    expect(
      await etagOf(server.call('PATCH', byLabel, { body: { value: 'b' }, headers: { 'if-match': '"1"' } })),
    ).toBe('"2"');
    expect(
      await server.call('PATCH', byLabel, { body: { value: 'c' }, headers: { 'if-match': '"1"' } }),
    ).toMatchObject({ status: 409, body: { value: 'b', base_revision: 1, difference: expect.any(String) } });
    const { id } = agent.blocks[0]!;
    expect(await server.call('DELETE', `/v1/blocks/${id}`, { headers: { 'if-match': '"1"' } })).toMatchObject(
      { status: 409, body: { revision: 2, value: 'b' } },
    );
    expect(await server.call('DELETE', `/v1/blocks/${id}`, { headers: { 'if-match': '"2"' } })).toMatchObject(
      { status: 200, body: { value: 'b' } },
    );
  });

  it('[block.limit-below-value] refuses a limit below the value’s length unless the same request shortens the value', async () => {
    const { id } = await aBlock({ value: 'seven ch', limit: 10 });
    const url = `/v1/blocks/${id}`;

    expect(await server.call('PATCH', url, { body: { limit: 7 } })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/Exceeds 7 character limit \(requested 8\).*higher limit/) },
    });
    expect((await server.call('GET', url)).body).toMatchObject({ limit: 10 });
    expect(await server.call('PATCH', url, { body: { limit: 7, value: 'short' } })).toMatchObject({
      status: 200,
      body: { limit: 7, value: 'short' },
    });
    expect(await server.call('PATCH', url, { body: { limit: 5 } })).toMatchObject({ status: 200 });
  });

  it('[block.history] lists revisions by page, each with its author, run, step and call', async () => {
    const { id } = await aBlock();
    const revisions = `/v1/blocks/${id}/revisions`;
    await changeBlock(server.db, {
      blockId: id,
      operation: { kind: 'append', content: 'three' },
      ...{ actor: 'agent', agentId: 'agent-1', turnId: 'run-1', stepId: 'step-1', toolCallId: 'call-1' },
    });
    await server.call('PATCH', `/v1/blocks/${id}`, { body: { value: 'all new' } });

    const listed = await server.read(wireRevision.array(), 'GET', revisions);
    expect(listed).toMatchObject([
      { revision: 3, operation: { kind: 'set' }, actor: 'user', agent_id: null },
      {
        revision: 2,
        operation: { kind: 'append', content: 'three' },
        ...{ actor: 'agent', agent_id: 'agent-1', run_id: 'run-1', step_id: 'step-1' },
        tool_call_id: 'call-1',
      },
      { revision: 1, operation: { kind: 'create' }, actor: 'user', block_id: id },
    ]);
    expect(JSON.stringify(listed)).not.toContain('all new');
    const numbers = async (query: string) =>
      (await server.read(wireRevision.array(), 'GET', `${revisions}?${query}`)).map((one) => one.revision);
    expect(await numbers('limit=2')).toEqual([3, 2]);
    expect(await numbers('after=2')).toEqual([1]);
    expect(await numbers('order=asc&after=1&limit=1')).toEqual([2]);
    expect(await numbers('after=1')).toEqual([]);
    expect(await server.read(wireRevisionWithValue, 'GET', `${revisions}/2`)).toMatchObject({
      value: 'one\ntwo\nthree',
    });
    expect(await server.call('GET', `${revisions}/9`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/has no revision 9\. List its revisions/) },
    });
  });

  it('[block.diff] [block.as-of] [block.blame] returns differences, past values and the revision of each line', async () => {
    const { id } = await aBlock();
    const url = `/v1/blocks/${id}`;
    await operate(id, { kind: 'replace', old: 'two', new: '2' });
    await operate(id, { kind: 'append', content: 'three' });

    expect(await server.read(wireDifference, 'GET', `${url}/diff?from=1&to=3`)).toEqual({
      ...{ block_id: id, from: 1, to: 3 },
      difference: '@@ -1,2 +1,3 @@\n one\n-two\n+2\n+three',
    });
    expect(await server.read(wireDifference, 'GET', `${url}/diff`)).toMatchObject({ from: 2, to: 3 });
    expect(await server.call('GET', `${url}/diff?from=1&to=8`)).toMatchObject({ status: 404 });

    const second = await server.read(wireRevisionWithValue, 'GET', `${url}/as-of?revision=2`);
    expect(second.value).toBe('one\n2');
    const at = `${url}/as-of?at=${encodeURIComponent(second.created_at)}`;
    expect(await server.read(wireRevisionWithValue, 'GET', at)).toEqual(second);
    expect(await server.call('GET', `${url}/as-of?at=2020-01-01T00:00:00Z`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/did not exist yet at 2020/) },
    });
    for (const query of ['', '?at=soon', '?revision=1&at=2026-01-01T00:00:00Z'])
      expect((await server.call('GET', `${url}/as-of${query}`)).status).toBe(422);

    expect(await server.read(z.array(wireBlamedLine), 'GET', `${url}/blame`)).toMatchObject([
      { line: 1, text: 'one', revision: 1, operation: { kind: 'create' } },
      { line: 2, text: '2', revision: 2, operation: { kind: 'replace' } },
      { line: 3, text: 'three', revision: 3, actor: 'user' },
    ]);
    expect(await server.read(z.array(wireBlamedLine), 'GET', `${url}/blame?revision=1`)).toHaveLength(2);
  });

  it('[block.undo] [block.restore] undoes, redoes and restores a change', async () => {
    const { id } = await aBlock({ value: 'a' });
    const post = (verb: string, body?: object) =>
      server.call('POST', `/v1/blocks/${id}/${verb}`, body === undefined ? {} : { body });
    await operate(id, { kind: 'set', value: 'b' });

    expect((await post('undo')).body).toMatchObject({ value: 'a', revision: 3 });
    expect(await post('undo')).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/no change to undo/) },
      headers: { 'x-should-retry': 'false' },
    });
    expect((await post('redo')).body).toMatchObject({ value: 'b', revision: 4 });
    expect(await post('redo')).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/nothing to redo/) },
    });
    expect((await post('restore', { revision: 1 })).body).toMatchObject({ value: 'a', revision: 5 });
    expect(await post('restore', { revision: 6 })).toMatchObject({ status: 404 });
    expect(await post('restore', {})).toMatchObject({ status: 422 });
  });

  it('[block.attached-read-only] makes a block read-only for one of its agents', async () => {
    const block = await aBlock({ label: 'rules' });
    const [reader, writer] = [await server.anAgent(), await server.anAgent({ block_ids: [block.id] })];
    const attach = (body?: object) =>
      server.read(wireAgent, 'PATCH', `/v1/agents/${reader.id}/core-memory/blocks/attach/${block.id}`, {
        ...(body === undefined ? {} : { body }),
      });
    const append = (agentId: string) =>
      changeBlock(server.db, {
        ...{ blockId: block.id, actor: 'agent', agentId },
        operation: { kind: 'append', content: 'more' },
      });

    expect((await attach({ read_only: true })).blocks).toMatchObject([{ id: block.id, read_only: true }]);
    expect(await append(reader.id)).toMatchObject({ ok: false, code: 'read_only' });
    expect(await append(writer.id)).toMatchObject({ ok: true });
    // Letta's clients attach a block again without this field.
    expect((await attach()).blocks).toMatchObject([{ read_only: true }]);
    expect((await attach({ read_only: false })).blocks).toMatchObject([{ read_only: false }]);
    expect(await append(reader.id)).toMatchObject({ ok: true });
  });

  it('[block.deleted-history] answers 404 for the history of a deleted block', async () => {
    const { id } = await aBlock();
    await server.call('DELETE', `/v1/blocks/${id}`);

    for (const path of ['revisions', 'revisions/1', 'diff', 'blame', 'as-of?revision=1'])
      expect(await server.call('GET', `/v1/blocks/${id}/${path}`)).toMatchObject({ status: 404 });
  });
});
