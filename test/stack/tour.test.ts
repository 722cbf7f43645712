import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createTourApi, TourError } from '../../stack/tour/api.js';
import { readEventStream } from '../../stack/tour/event-stream.js';
import { readTourOptions, TourOptionsError } from '../../stack/tour/facts.js';
import { checkRemains, findFacts, type Remains } from '../../stack/tour/proof.js';
import type { ShownMessage } from '../../stack/tour/shapes.js';

describe('readEventStream', () => {
  it('puts events together however their bytes are cut, and skips comments', async () => {
    const bytes = Buffer.from(
      ': keep-alive\n\ndata: {"text":"é"}\n\nevent: error\ndata: [DONE]\n\ndata: cut off',
    );
    async function* one(): AsyncGenerator<Uint8Array> {
      for (const byte of bytes) yield await Promise.resolve(Uint8Array.of(byte));
    }

    const read: string[] = [];
    for await (const data of readEventStream(one())) read.push(data);

    expect(read).toEqual(['{"text":"é"}', '[DONE]']);
  });
});

describe('readTourOptions', () => {
  it('takes facts from the command line, and has pleasant ones else', () => {
    const { facts, once: isOnce } = readTourOptions(['--once', '--name', 'Ada', '--likes=tea, maps']);

    expect(facts).toMatchObject({ name: 'Ada', city: 'Lisbon', likes: ['tea', 'maps'] });
    expect(isOnce).toBe(true);
  });

  it.each([
    [['--colour'], /Unknown option '--colour'/],
    [['--likes', 'tea'], /--likes takes at least two things/],
    [['--name', ''], /--name takes a text/],
  ])('refuses %j and says how it is called', (args, message) => {
    const read = () => readTourOptions(args);

    expect(read).toThrow(TourOptionsError);
    expect(read).toThrow(message);
    expect(read).toThrow(/npm run quickstart \[-- options\]/);
  });
});

describe('the tour’s API', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  async function serve(answer: (path: string, body: string, response: ServerResponse) => void) {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        answer(`${request.url ?? ''} ${String(request.headers['idempotency-key'])}`, body, response);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return createTourApi({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  }

  const line = (seq: number, type: string) =>
    `data: ${JSON.stringify({ message_type: type, seq_id: seq, run_id: 'run-1' })}\n\n`;

  it('resumes a stream that breaks after the last event seen', async () => {
    const asked: string[] = [];
    const api = await serve((path, body, response) => {
      asked.push(`${path.split(' ')[0] ?? ''} ${body}`);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (asked.length === 1) {
        response.write(line(1_000, 'reasoning_message'), () => {
          response.destroy();
        });
      } else {
        response.end(line(2_000, 'usage_statistics'));
      }
    });

    const seen: number[] = [];
    for await (const event of api.streamTurn('agent-1', 'Hello')) seen.push(event.seq_id);

    expect(seen).toEqual([1_000, 2_000]);
    expect(asked[1]).toBe('/v1/runs/run-1/stream {"starting_after":1000}');
  });

  it('repeats a send that broke before it was answered, with the same key', async () => {
    const keys: string[] = [];
    const api = await serve((path, _body, response) => {
      keys.push(path);
      if (keys.length === 1) response.destroy();
      else response.end(line(2_000, 'usage_statistics'));
    });

    for await (const event of api.streamTurn('agent-1', 'Hello')) expect(event.run_id).toBe('run-1');

    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[0]).toMatch(/^\/v1\/agents\/agent-1\/messages\/stream [0-9a-f-]{36}$/);
  });

  it('passes on what the API says is wrong', async () => {
    const api = await serve((_path, _body, response) => {
      response.writeHead(400).end('{"detail":"Set OPENAI_API_KEY."}');
    });

    const made = api.createAgent({ model: 'openai/gpt-4o-mini' });

    await expect(made).rejects.toBeInstanceOf(TourError);
    await expect(made).rejects.toThrow('/v1/agents answered 400: Set OPENAI_API_KEY.');
  });
});

describe('the tour’s proof', () => {
  const head = { id: 'message-1', step_id: 'step-1' };
  const call = (id: string, name: string): ShownMessage => ({
    ...head,
    otid: `call ${id}`,
    message_type: 'tool_call_message',
    tool_calls: [{ name, arguments: '{}', tool_call_id: id }],
  });
  const result = (id: string, otid = `result ${id}`): ShownMessage => ({
    ...head,
    otid,
    message_type: 'tool_return_message',
    tool_return: 'done',
    status: 'success',
    tool_call_id: id,
  });
  const messages = [
    call('a', 'core_memory_append'),
    result('a'),
    call('b', 'archival_memory_insert'),
    result('b'),
  ];
  const sound: Remains = {
    blocks: [{ label: 'human', value: 'Loves tea', limit: 2_000, revision: 2 }],
    passages: [{ id: 'passage-1', text: 'The key is in the shed' }],
    turns: [{ streamed: messages, stored: messages }],
  };
  const broken = (remains: Remains) =>
    checkRemains(remains).flatMap((one, index) => (one.holds ? [] : [index]));

  it('holds where everything was done once', () => {
    expect(broken(sound)).toEqual([]);
  });

  it.each<[string, Partial<Remains>, number[]]>([
    ['a message came by twice', { turns: [{ streamed: [...messages, result('b')], stored: messages }] }, [0]],
    ['a message was lost', { turns: [{ streamed: messages, stored: messages.slice(0, 3) }] }, [0, 1, 3]],
    ['a tool ran twice', { turns: [both([...messages, result('a', 'again')])] }, [1]],
    ['an edit was repeated', { blocks: [{ label: 'human', value: '', limit: 9, revision: 3 }] }, [2]],
    ['a passage was repeated', { passages: [...sound.passages, ...sound.passages] }, [3]],
  ])('fails where %s', (_what, change, failing) => {
    expect(broken({ ...sound, ...change })).toEqual(failing);
  });

  it('counts how often each fact is in memory', () => {
    const { facts } = readTourOptions(['--likes', 'tea,maps', '--place', 'in the shed']);

    const found = findFacts(facts, sound).map(({ fact, times }) => [fact, times]);

    expect(found).toContainEqual(['tea', 1]);
    expect(found).toContainEqual(['maps', 0]);
    expect(found).toContainEqual(['in the shed', 1]);
  });

  function both(all: readonly ShownMessage[]) {
    return { streamed: all, stored: all };
  }
});
