import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changeBlock } from '../../../schema/blocks/changes.js';
import { createBlock, deleteBlock } from '../../../schema/blocks/blocks.js';
import type { Block } from '../../../core/blocks/blocks.js';
import { startTestServer, type TestServer } from '../test-server.js';

/** A followed stream: the events so far and the end of the connection. */
interface Followed {
  readonly events: readonly EventSourceMessage[];
  /** Resolves after that many events. */
  came(count: number): Promise<readonly EventSourceMessage[]>;
  readonly over: Promise<void>;
  leave(): Promise<void>;
}

describe('the event stream of blocks', () => {
  let server: TestServer;
  const addresses = new Map<TestServer, string>();

  beforeAll(async () => {
    server = await startTestServer({ settings: { keepAliveMs: 50 } });
  });

  afterAll(() => server.close());

  /** Follows a path over a new connection to this server process. Resolves when it is open. */
  async function follow(
    path: string,
    through = server,
    headers: Record<string, string> = {},
  ): Promise<Followed> {
    const base = addresses.get(through) ?? (await through.app.listen({ host: '127.0.0.1', port: 0 }));
    addresses.set(through, base);
    const controller = new AbortController();
    const response = await fetch(base + path, { headers, signal: controller.signal });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const events: EventSourceMessage[] = [];
    let onEvent: () => void = () => undefined;
    const parser = createParser({
      onEvent: (event) => {
        events.push(event);
        onEvent();
      },
    });
    const over = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
        parser.feed(decoder.decode(chunk, { stream: true }));
    })().catch((error: unknown) => {
      if (!controller.signal.aborted) throw error;
    });
    return {
      events,
      came: (count) =>
        new Promise((resolve) => {
          onEvent = () => {
            if (events.length >= count) resolve(events);
          };
          onEvent();
        }),
      over,
      leave: () => (controller.abort(), over),
    };
  }

  const aBlock = (): Promise<Block> => createBlock(server.db, { label: 'plan', value: '' });
  const append = (block: Block, content: string, author: { agentId?: string } = {}) =>
    changeBlock(server.db, {
      ...{ blockId: block.id, operation: { kind: 'append', content }, actor: 'agent', ...author },
    });
  const dataOf = ({ data }: EventSourceMessage): unknown => JSON.parse(data);

  it('[block.follow] reports each revision with its author, from now on or from any revision', async () => {
    const block = await aBlock();
    await append(block, 'before');
    const fromNow = await follow(`/v1/blocks/${block.id}/events`);
    const fromOne = await follow(`/v1/blocks/${block.id}/events?after=1`);
    const fromStart = await follow(`/v1/blocks/${block.id}/events?after=0`);

    await append(block, 'after', { agentId: 'agent-1' });

    const [event] = await fromNow.came(1);
    expect(event).toMatchObject({ event: 'block.updated', id: '3' });
    expect(dataOf(event!)).toMatchObject({
      ...{ label: 'plan', block_id: block.id, revision: 3, value: 'before\nafter' },
      ...{ operation: { kind: 'append', content: 'after' }, actor: 'agent', agent_id: 'agent-1' },
    });
    expect((await fromOne.came(2)).map(({ id }) => id)).toEqual(['2', '3']);
    expect((await fromStart.came(3)).map((one) => one.event)).toEqual([
      ...['block.created', 'block.updated', 'block.updated'],
    ]);
    for (const one of [fromNow, fromOne, fromStart]) await one.leave();
  });

  it('[block.follow] continues on another server where a reader left off', async () => {
    const block = await aBlock();
    const peer = server.startPeer();
    const first = await follow(`/v1/blocks/${block.id}/events`);
    await append(block, 'one');
    const [seen] = await first.came(1);
    await first.leave();
    await append(block, 'two');
    await append(block, 'three');

    const second = await follow(`/v1/blocks/${block.id}/events?after=0`, peer, {
      'last-event-id': seen!.id!,
    });

    expect((await second.came(2)).map(({ id }) => id)).toEqual(['3', '4']);
    await second.leave();
  });

  it('[block.follow] ends with a final event when the block is deleted', async () => {
    const block = await aBlock();
    const followed = await follow(`/v1/blocks/${block.id}/events`);

    await deleteBlock(server.db, block.id);
    await followed.over;

    expect(followed.events).toMatchObject([{ event: 'block.deleted' }]);
    const late = await server.call('GET', `/v1/blocks/${block.id}/events`);
    expect(late).toMatchObject({ status: 404 });
  });

  it('[block.follow-all] orders and filters the events of all blocks, and resumes', async () => {
    const all = await follow('/v1/events');
    const updates = await follow('/v1/events?types=block.updated');
    const [one, other] = [await aBlock(), await aBlock()];
    await append(other, 'a');
    await append(one, 'b');

    const come = (await all.came(4)).map((event) => [
      event.event,
      (dataOf(event) as Block & { block_id: string }).block_id,
    ]);
    expect(come).toEqual([
      ['block.created', one.id],
      ['block.created', other.id],
      ['block.updated', other.id],
      ['block.updated', one.id],
    ]);
    const [first] = await updates.came(2);
    expect(updates.events.map(({ event }) => event)).toEqual(['block.updated', 'block.updated']);
    const resumed = await follow(`/v1/events?types=block.created,block.updated&after=${first!.id!}`);
    expect((await resumed.came(1))[0]).toMatchObject({ event: 'block.updated', id: updates.events[1]!.id });
    for (const followed of [all, updates, resumed]) await followed.leave();
    expect(await server.call('GET', '/v1/events?types=agent.born')).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/must be of: block\.created, block\.updated/) },
    });
  });
});
