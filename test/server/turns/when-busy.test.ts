import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTurnListener } from '../../../client/turn-listener.js';
import { createTurns } from '../../../client/turns.js';
import type { WhenBusy } from '../../../client/types.js';
import { getTurn, listTurns } from '../../../schema/turns/turns.js';
import { lettaResponse, type LettaResponse } from '../../../server/turns/letta-response-wire.js';
import { waitFor } from '../../../stack/waiting.js';
import { heldAnswer } from '../../support/models/held-answer.js';
import { callOf, createScriptedModels, saying } from '../../support/models/scripted-model.js';
import { type RuntimeServer, startRuntimeServer } from '../runtime-app.js';

const models = createScriptedModels();
let server: RuntimeServer;

beforeAll(async () => {
  server = await startRuntimeServer({ models });
});

afterAll(() => server.close());

interface Said {
  readonly agentId: string;
  readonly words: string;
  readonly whenBusy?: WhenBusy;
  readonly key?: string;
  readonly way?: '' | '/stream' | '/async';
}

async function say({ agentId, words, whenBusy, key, way = '' }: Said) {
  const answer = await server.app.inject({
    ...{ method: 'POST', url: `/v1/agents/${agentId}/messages${way}` },
    headers: key === undefined ? {} : { 'idempotency-key': key },
    body: {
      messages: [{ role: 'user', content: words }],
      ...(whenBusy === undefined ? {} : { when_busy: whenBusy }),
      ...(way === '/stream' ? { stream_tokens: true } : {}),
    },
  });
  expect(answer.statusCode).toBe(200);
  return answer.body;
}

const ask = async (said: Said) => lettaResponse.parse(JSON.parse(await say(said)));
const begin = async (said: Said) => (JSON.parse(await say({ ...said, way: '/async' })) as { id: string }).id;

const wordsOf = ({ messages }: Pick<LettaResponse, 'messages'>) =>
  messages.flatMap((message) => (message.message_type === 'assistant_message' ? [message.content] : []));

/** The text of a stream and the numbers of its chunks. */
function readStream(text: string) {
  const chunks = [...text.matchAll(/^data: (\{.*)$/gm)].map(
    ([, json]) => JSON.parse(json ?? '') as { message_type: string; content?: string; seq_id?: number },
  );
  const said = chunks.filter((one) => one.message_type === 'assistant_message');
  return {
    words: said.map((one) => one.content).join(''),
    numbers: chunks.flatMap((one) => one.seq_id ?? []),
  };
}

/** An agent whose model has not answered the first step. The held answer asks for another step. */
async function aBusyAgent() {
  const agent = await server.runtime.anAgent({ blocks: [{ label: 'human', value: '' }] });
  const edit = { label: 'human', content: 'Is here.', request_heartbeat: true };
  const held = heldAnswer(callOf('core_memory_append', edit));
  models.script(held.line);
  const turnId = await begin({ agentId: agent.id, words: 'Begin' });
  await held.begun;
  return { agentId: agent.id, turnId, release: held.release };
}

const waitingFor = (agentId: string, count: number) =>
  waitFor(
    async () => {
      const turns = await listTurns(server.runtime.db, { threadId: agentId }, {});
      return turns.length === count || undefined;
    },
    { timeoutMs: 30_000 },
  );

describe('a message with `when_busy` over REST', () => {
  it('[turn.when-busy-steer] enters the running turn with `steer` and returns what is said from then on', async () => {
    const { agentId, turnId, release } = await aBusyAgent();
    models.script(saying('Briefly then.'));
    const asked = models.requests.length;

    const waiting = ask({ agentId, words: 'Be brief', whenBusy: 'steer' });
    await waitingFor(agentId, 2);
    const streaming = say({ agentId, words: 'And kind', whenBusy: 'steer', way: '/stream' });
    await waitingFor(agentId, 3);
    release();
    const [answer, stream] = await Promise.all([waiting, streaming.then(readStream)]);

    expect(models.requests.length).toBe(asked + 1);
    expect(JSON.stringify(models.requests.at(-1)?.messages)).toMatch(/Be brief.*And kind/);
    expect(wordsOf(answer)).toEqual(['Briefly then.']);
    expect(answer).toMatchObject({ stop_reason: { stop_reason: 'end_turn' }, usage: { step_count: 2 } });
    expect(stream.words).toBe('Briefly then.');
    expect(stream.numbers).toEqual([...stream.numbers].sort((a, b) => a - b));
    const first = await server.runtime.turns.result(turnId);
    expect(first).toMatchObject({ state: 'completed', steps: 2 });
  });

  it('[turn.when-busy-steer] resumes the stream of a steering message after any chunk', async () => {
    const { agentId, release } = await aBusyAgent();
    models.script(saying('Briefly then.'));
    const steering = await begin({ agentId, words: 'Be brief', whenBusy: 'steer' });
    release();
    await server.runtime.turns.result(steering);
    const read = async (after: number) => {
      const url = `/v1/runs/${steering}/stream`;
      const answer = await server.app.inject({ method: 'POST', url, body: { starting_after: after } });
      return readStream(answer.body);
    };

    const whole = await read(0);
    const rest = await read(whole.numbers[0] ?? 0);

    expect(whole.words).toBe('Briefly then.');
    expect(rest.numbers).toEqual(whole.numbers.slice(1));
  });

  it('[turn.when-busy-interrupt] ends the running turn with `interrupt` and is answered, once per key', async () => {
    const { agentId, turnId, release } = await aBusyAgent();
    const held = heldAnswer(saying('Now this.'));
    models.script(held.line);
    const interrupt = { agentId, words: 'Stop. Do this', whenBusy: 'interrupt', key: 'k' } as const;

    const answering = ask(interrupt);
    const first = await server.runtime.turns.result(turnId);
    await held.begun;
    const again = await begin(interrupt);
    const during = await getTurn(server.runtime.db, again);
    held.release();
    const answer = await answering;
    const afterwards = await begin(interrupt);
    release();

    expect(first).toMatchObject({ state: 'cancelled', stopReason: 'cancelled' });
    expect(during).toMatchObject({ state: 'running', options: { interrupted: turnId } });
    expect(wordsOf(answer)).toEqual(['Now this.']);
    expect(afterwards).toBe(again);
    expect(await listTurns(server.runtime.db, { threadId: agentId }, {})).toHaveLength(2);
  });

  it('[turn.when-busy-interrupt] leaves waiting messages in their places with `interrupt`', async () => {
    const { agentId, release } = await aBusyAgent();
    models.script(saying('To the second.'), saying('To the third.'));

    const second = ask({ agentId, words: 'Second' });
    await waitingFor(agentId, 2);
    const third = ask({ agentId, words: 'Third', whenBusy: 'interrupt' });
    const answers = await Promise.all([second, third]);
    release();

    expect(answers.map(wordsOf)).toEqual([['To the second.'], ['To the third.']]);
  });

  it.each(['queue', 'steer', 'interrupt'] as const)(
    '[turn.when-busy-idle] `%s` gets its own turn when nothing runs',
    async (whenBusy) => {
      const { id: agentId } = await server.runtime.anAgent();
      models.script(saying('At once.'));

      const answer = await ask({ agentId, words: 'Hello', whenBusy });

      expect(wordsOf(answer)).toEqual(['At once.']);
      expect(await listTurns(server.runtime.db, { threadId: agentId }, {})).toMatchObject([
        { state: 'completed', steps: 1 },
      ]);
    },
  );

  it('[turn.when-busy-idle] waits by default, and a late `steer` enters the next turn', async () => {
    const agent = await server.runtime.anAgent();
    const held = heldAnswer(saying('First.'));
    models.script(held.line, saying('Second.'));
    const first = ask({ agentId: agent.id, words: 'Begin' });
    await held.begun;
    const queued = ask({ agentId: agent.id, words: 'Queued' });
    await waitingFor(agent.id, 2);
    const steering = ask({ agentId: agent.id, words: 'Late steer', whenBusy: 'steer' });
    await waitingFor(agent.id, 3);
    held.release();

    const answers = await Promise.all([first, queued, steering]);

    expect(answers.map(wordsOf)).toEqual([['First.'], ['Second.'], ['Second.']]);
    expect(JSON.stringify(models.requests.at(-1)?.messages)).toMatch(/Queued.*Late steer/);
  });

  it('[turn.when-busy-input] refuses other values, decisions that steer, and groups', async () => {
    const { id } = await server.runtime.anAgent();
    const group = await server.app.inject({
      ...{ method: 'POST', url: '/v1/groups' },
      body: { agent_ids: [id], description: 'One', manager_config: { manager_type: 'round_robin' } },
    });
    const groupId = (JSON.parse(group.body) as { id: string }).id;
    const messages = [{ role: 'user', content: 'Hello' }];
    const decision = { type: 'approval', approve: true };
    const post = async (url: string, body: object) => {
      const answer = await server.app.inject({ method: 'POST', url, body });
      return `${answer.statusCode} ${answer.body}`;
    };

    expect(await post(`/v1/agents/${id}/messages`, { messages, when_busy: 'drop' })).toMatch(
      /^422 .*body.when_busy: must be queue .* steer .* or interrupt/,
    );
    expect(await post(`/v1/agents/${id}/messages`, { messages: [decision], when_busy: 'steer' })).toMatch(
      /^422 .*body.when_busy: steer is for messages/,
    );
    expect(await post(`/v1/groups/${groupId}/messages`, { messages, when_busy: 'interrupt' })).toMatch(
      /^422 .*body.when_busy: a group/,
    );
    expect(await listTurns(server.runtime.db, { threadId: id }, {})).toEqual([]);
  });

  it('[turn.when-busy-told] retries to stop the interrupted turn if the first try failed', async () => {
    const { agentId, turnId, release } = await aBusyAgent();
    const { db, bell, databaseUrl } = server.runtime;
    const stopped: string[] = [];
    const failures: unknown[] = [];
    const faulty = {
      ...bell,
      stop: (turn: { threadId: string; turnId: string }) => {
        stopped.push(turn.turnId);
        return stopped.length === 1 ? Promise.reject(new Error('Temporal is away')) : bell.stop(turn);
      },
    };
    const listener = createTurnListener(databaseUrl);
    const turns = createTurns({ db, bell: faulty, listener, onRingFailed: (error) => failures.push(error) });
    models.script(saying('Instead.'));
    const request = {
      ...{ threadId: agentId, messages: [{ role: 'user' as const, content: 'Instead' }] },
      ...{ whenBusy: 'interrupt' as const, requestKey: 'key:told' },
    };

    const first = await turns.send(request);
    const again = await turns.send(request);
    const ended = await turns.result(first.turn.id);
    release();
    await listener.close();

    expect(again).toMatchObject({ repeated: true, turn: { id: first.turn.id } });
    expect(stopped).toEqual([turnId, turnId]);
    expect(failures).toHaveLength(1);
    expect(ended.state).toBe('completed');
  });
});
