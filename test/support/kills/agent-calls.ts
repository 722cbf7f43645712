import { beforeAll, describe, expect, it } from '@jest/globals';
import { listMessages } from '../../../schema/threads/messages.js';
import { runCanary } from '../runtime/canary.js';
import { withChaos } from '../chaos.js';
import { timeless, untilAsleep } from './kill-scenario.js';
import type { Lane, Lanes } from './lanes.js';
import type { ChatRequest, Reply } from '../model-server.js';

const ask = 'send_message_to_agent_and_wait_for_reply';
const tell = 'send_message_to_agent_async';

/** Where the worker is killed. */
const kills = withChaos<readonly [when: string, freezeAt: string]>(
  [
    ['with the edge not committed', 'sql:1:insert into edges'],
    ['with the other’s turn closed and the asker not told', 'before:tellAskers:1'],
    ['with another told and the result not stored', 'sql:2:insert into deliveries'],
  ],
  [['with the other asked and the activity unacknowledged', 'after:askAgents:1']],
);

/** That agents which call each other leave the same where a worker of these lanes is killed meanwhile. */
export function describeKilledAgentCalls(lanes: () => Lanes): void {
  describe('kill -9 of the worker while agents call each other', () => {
    let undisturbed: unknown;
    let runs: readonly (() => Promise<unknown>)[];

    beforeAll(async () => {
      const [first, ...others] = lanes().each(['', ...kills.map(([, point]) => point)], runAgents);
      runs = others;
      undisturbed = await first!();
    });

    it('is a scenario in which each says and hears what it should', () => {
      expect(JSON.stringify(undisturbed)).toContain('Forty-two.');
      expect(JSON.stringify(undisturbed)).toContain('The answer is forty-two.');
      expect(undisturbed).toMatchObject({
        turns: [{ state: 'completed' }, { state: 'completed' }, { state: 'completed' }],
      });
    });

    it.each(kills.map(([when], index) => ({ when, index })))(
      'leaves the same as without it $when [agents.killed]',
      async ({ index }) => {
        expect(await runs[index]!()).toEqual(undisturbed);
      },
    );
  });
}

/** One agent asks a second and then tells a third; the worker is killed at a point, and the next one takes over. */
async function runAgents({ runtime, model, ...lane }: Lane, freezeAt: string): Promise<unknown> {
  const tools = { model: 'openai/scripted', toolNames: ['send_message', ask, tell], blocks: [] };
  const rules = { toolRules: [{ kind: 'exit_loop' as const, tool: 'send_message' }] };
  const [asked, told] = [
    await runtime.anAgent({ ...tools, ...rules }),
    await runtime.anAgent({ ...tools, ...rules }),
  ];
  const asker = await runtime.anAgent({ ...tools, ...rules });
  model.policy = (request) => replyOf(request, { asked: asked.id, told: told.id });
  await lane.worker().arm(freezeAt);
  const { turn } = await runtime.turns.send({
    threadId: asker.id,
    messages: [{ role: 'user', content: 'What is the answer?' }],
  });
  if (freezeAt !== '') {
    await lane.worker().frozen;
    await lane.replaceWorker();
  }
  await runtime.turns.result(turn.id);
  const all = await runtime.db
    .selectFrom('turns')
    .select('id')
    .where('agent_id', 'in', [asker.id, asked.id, told.id])
    .orderBy('created_at')
    .execute();
  const ended = await Promise.all(all.map(({ id }) => runtime.turns.result(id)));
  const transcripts = [];
  for (const agent of [asker, asked, told]) {
    const messages = await listMessages(runtime.db, { threadId: agent.id }, {});
    transcripts.push(messages.map((message) => timeless(message.body)));
    await untilAsleep(runtime, agent);
  }
  const turns = ended.map(({ state, stopReason, steps, error }) => ({ state, stopReason, steps, error }));
  return { turns, transcripts };
}

function replyOf(request: ChatRequest, ids: { readonly asked: string; readonly told: string }): Reply {
  const said = JSON.stringify(request.messages);
  const act = (call: string, args: Record<string, unknown>): Reply => ({
    call,
    args: { thinking: `I use ${call}. ${runCanary()}`, ...args },
  });
  if (said.includes('Incoming message')) {
    return act('send_message', { message: said.includes('Note this') ? 'Noted.' : 'Forty-two.' });
  }
  if (said.includes('Successfully sent message'))
    return act('send_message', { message: 'The answer is forty-two.' });
  if (said.includes('Forty-two.')) {
    return act(tell, { other_agent_id: ids.told, message: 'Note this.', request_heartbeat: true });
  }
  return act(ask, { other_agent_id: ids.asked, message: 'What is it?', request_heartbeat: true });
}
