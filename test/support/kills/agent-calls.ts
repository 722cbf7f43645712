import { describe, expect, it } from '@jest/globals';
import { listMessages } from '../../../schema/threads/messages.js';
import { runCanary } from '../runtime/canary.js';
import { withChaos } from '../chaos.js';
import type { ChatRequest, Reply } from '../model-server.js';
import type { Point } from '../points.js';
import { timeless } from './kill-scenario.js';
import type { OneKill, Scene } from './one-kill.js';

const ask = 'send_message_to_agent_and_wait_for_reply';
const tell = 'send_message_to_agent_async';

/** Where the worker is killed. `last`: holding the lock of all edges. */
const kills = withChaos<readonly [when: string, point: Point, order?: 'last']>(
  [
    ['with the edge not committed', { sql: 'insert into edges' }, 'last'],
    ['with the other’s turn closed and the asker not told', { before: 'tellAskers' }],
    ['with another told and the result not stored', { sql: 'insert into deliveries', nth: 2 }],
  ],
  [['with the other asked and the activity unacknowledged', { after: 'askAgents' }]],
);

/** That agents which call each other leave the same where the worker is killed meanwhile. */
export function describeKilledAgentCalls(kill: OneKill): void {
  describe('kill -9 of the worker while agents call each other', () => {
    const undisturbed = kill.undisturbed(runAgents);
    const runs = kills.map(([when, point, order]) => {
      return { when, killed: kill.scene(`calls, ${when}`, (scene) => runAgents(scene, point), order) };
    });

    it('is a scenario in which each says and hears what it should', async () => {
      const left = await undisturbed();
      expect(JSON.stringify(left)).toContain('Forty-two.');
      expect(JSON.stringify(left)).toContain('The answer is forty-two.');
      expect(left).toMatchObject({
        turns: [{ state: 'completed' }, { state: 'completed' }, { state: 'completed' }],
      });
    });

    it.each(runs)('leaves the same as without it $when [agents.killed]', async ({ killed }) => {
      expect(await killed()).toEqual(await undisturbed());
    });
  });
}

/** One agent asks a second and then tells a third; the worker is killed at a point, and the next one takes over. */
async function runAgents(scene: Scene, point?: Point) {
  const { runtime, model } = scene;
  const anAgent = () =>
    runtime.anAgent({
      ...{ model: model.handle, toolNames: ['send_message', ask, tell], blocks: [] },
      toolRules: [{ kind: 'exit_loop', tool: 'send_message' }],
    });
  const [asked, told, asker] = [await anAgent(), await anAgent(), await anAgent()];
  const ids = [asker.id, asked.id, told.id];
  model.policy = (request) => replyOf(request, { asked: asked.id, told: told.id });
  if (point !== undefined) await scene.stopAt(point, ids);
  const { turn } = await runtime.turns.send({
    threadId: asker.id,
    messages: [{ role: 'user', content: 'What is the answer?' }],
  });
  if (point !== undefined) await scene.killed();
  await runtime.turns.result(turn.id);
  const all = await runtime.db
    .selectFrom('turns')
    .select('id')
    .where('agent_id', 'in', ids)
    .orderBy('created_at')
    .execute();
  const ended = await Promise.all(all.map(({ id }) => runtime.turns.result(id)));
  const transcripts = [];
  for (const threadId of ids) {
    const messages = await listMessages(runtime.db, { threadId }, {});
    transcripts.push(messages.map((message) => timeless(message.body)));
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
