import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listAgentBlocks } from '../../schema/blocks/agent-blocks.js';
import { startRuntimeServer } from '../server/runtime-app.js';
import { type Ended, type Person, runCli } from '../support/cli/fake-terminal.js';
import type { TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

const noting = (content: string) =>
  callOf('core_memory_append', { label: 'human', content, request_heartbeat: true });
const blocks = [{ label: 'human', value: 'Likes tea.' }];

describe('a chat', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;
  let url: string;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ runtime, url, close } = await startRuntimeServer({ models }));
  });

  afterAll(() => close());

  const chat = (agent: string, person: Person, at = url): Promise<Ended> =>
    runCli(['chat', agent], { PERDURE_URL: at }, person);

  it('[cli.chat] shows calls, results and memory changes in the order in which they happen', async () => {
    await runtime.anAgent({ name: 'sam', blocks });
    models.script(noting('Lives in Oslo.'), saying('I noted it.'));

    const { code, output } = await chat('sam', { types: ['I live in Oslo.'] });

    expect(code).toBe(0);
    const order = [
      ...['you  I live in Oslo.', '→ core_memory_append(label: human, content: Lives in Oslo.)'],
      ...['← Memory block', '✎ human revision 2\n  Likes tea.\n+ Lives in Oslo.', 'sam  I noted it.'],
      '2 steps',
    ].map((part) => output.indexOf(part));
    expect(order).toEqual([...order].sort((one, other) => one - other));
    expect(order).not.toContain(-1);
  });

  it('[cli.chat] asks about waiting calls: one is approved, another denied with a reason', async () => {
    const toolRules = [{ kind: 'requires_approval' as const, tool: 'core_memory_append' }];
    const agent = await runtime.anAgent({ name: 'careful', blocks, toolRules });
    models.script(noting('Lives in Oslo.'), noting('Likes jazz.'), saying('Understood.'));

    const { output } = await chat('careful', { types: ['I live in Oslo.', 'y', 'not jazz'] });

    expect(output.match(/\? core_memory_append\(/g)).toHaveLength(2);
    expect(output).toContain('careful  Understood.');
    const [human] = await listAgentBlocks(runtime.db, agent.id);
    expect(human?.value).toBe('Likes tea.\nLives in Oslo.');
    expect(JSON.stringify(models.requests.at(-1)?.messages)).toContain('not jazz');
  });

  it('[cli.resume] continues after a lost connection and shows everything once', async () => {
    await runtime.anAgent({ name: 'steady', blocks });
    models.script(noting('Lives in Oslo.'), noting('Sails.'), saying('I noted both.'));
    const door = await openDoor(url);

    const { code, output } = await chat('steady', { types: ['I live in Oslo and sail.'] }, door.url);
    await door.close();

    expect(code).toBe(0);
    expect(door.broken()).toBe(1);
    expect(output).toContain(
      'The connection is lost. The turn goes on; waiting for the server …\nThe connection is back.',
    );
    expect(output.match(/→ core_memory_append/g)).toHaveLength(2);
    expect(output.match(/steady {2}I noted both\./g)).toHaveLength(1);
    expect(output).toContain('3 steps');
  });

  it('[cli.slash] shows memory, context and the past, undoes a change, and continues with a fork', async () => {
    const agent = await runtime.anAgent({ name: 'slashy', blocks });
    models.script(
      noting('Lives in Oslo.'),
      saying('I noted it.'),
      noting('Sails.'),
      saying('Noted in the copy.'),
    );

    const { output, told } = await chat('slashy', {
      types: [
        ...['I live in Oslo.', '/memory human', '/undo', '/memory human', '/context'],
        ...[
          () => `/as-of ${agent.createdAt.toISOString()}`,
          '/fork slashy two',
          'I sail.',
          '/nonsense',
          '/help',
          '/quit',
        ],
      ],
    });

    expect(output).toContain('human  25 of 2000 characters, revision 2\nLikes tea.\nLives in Oslo.');
    expect(output).toContain('human is at revision 3.\n  Likes tea.\n- Lives in Oslo.');
    expect(output).toContain('human  10 of 2000 characters, revision 3\nLikes tea.\n');
    expect(output).toMatch(/[█░]{60} {2}[\d ]+ of [\d ]+ tokens/);
    expect(output).toContain('human  10 of 2000 characters, revision 1\n');
    expect(output).toMatch(/You talk with slashy two \(agent-\S+\) now\. slashy stays as it is\./);
    expect(output).toContain('slashy two  Noted in the copy.');
    expect(told).toBe('There is no /nonsense. /help shows what there is.\n');
    expect(output).toContain('/as-of <when>');
  });

  it('[cli.chat] cancels the turn on Ctrl-C, and stays open', async () => {
    await runtime.anAgent({ name: 'endless', blocks });
    models.script(noting('One.'), () => new Promise(() => undefined));

    const { code, output } = await chat('endless', {
      types: ['Go on for ever.', '/memory'],
      interruptsAt: '✎',
    });

    expect(code).toBe(0);
    expect(output).toContain('Cancelling the turn …');
    expect(output).toContain('ended by cancelled');
    expect(output).toContain('human  15 of 2000 characters, revision 2');
  });
});

/** A proxy to the server that breaks the connection once, in the middle of the first streamed turn. */
async function openDoor(
  url: string,
): Promise<{ url: string; broken: () => number; close: () => Promise<void> }> {
  let broken = 0;
  const server: Server = createServer((request, response) => {
    const pass = async (): Promise<void> => {
      const body: Uint8Array[] = [];
      for await (const piece of request) body.push(piece as Uint8Array);
      const { method = 'GET', headers } = request;
      const given = Object.entries(headers).filter(([name]) => /^(content-type|idempotency-key)$/.test(name));
      const answer = await fetch(`${url}${request.url ?? ''}`, {
        method,
        headers: Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
        ...(body.length === 0 ? {} : { body: Buffer.concat(body) }),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      for await (const piece of answer.body ?? []) {
        response.write(piece);
        if (broken > 0 || !Buffer.from(piece as Uint8Array).includes('tool_return_message')) continue;
        if (!(request.url ?? '').endsWith('/messages/stream')) continue;
        broken += 1;
        response.destroy();
        return;
      }
      response.end();
    };
    pass().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    broken: () => broken,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
