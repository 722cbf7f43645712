import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Activities } from '../../activities/index.js';
import type { Agent } from '../../core/agents/agents.js';
import { usualMaxSteps } from '../../core/turns/turn.js';
import { attachBlock } from '../../schema/blocks/agent-blocks.js';
import { pendingApproval } from '../../schema/turns/pending-approvals.js';
import { changeBlock } from '../../schema/blocks/changes.js';
import { wakeForBlocks } from '../../schema/turns/block-wakes.js';
import { createBlock } from '../../schema/blocks/blocks.js';
import { createGroup } from '../../schema/groups/groups.js';
import { enqueueScheduled } from '../../schema/schedules/scheduled-turns.js';
import { insertSchedule } from '../../schema/schedules/schedules.js';
import { listTurns } from '../../schema/turns/turns.js';
import type { App } from '../../server/deps.js';
import { waitFor } from '../../stack/waiting.js';
import { createRuntimeApp } from '../server/runtime-app.js';
import { runCanary } from '../support/runtime/canary.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import {
  callOf,
  createScriptedModels,
  type ScriptedModels,
  type ScriptLine,
} from '../support/models/scripted-model.js';

const ask = 'send_message_to_agent_and_wait_for_reply';
const tell = 'send_message_to_agent_async';

describe('a model that never stops calling tools', () => {
  const models = relentless();
  /** The step limit of each agent's turns. */
  const limits = new Map<string, number>();
  /** The agents whose turns run to the limit. Other turns end after two steps: the claim has shown their limit. */
  const whole = new Set<string>();
  let runtime: TestRuntime;
  let app: App;

  const shortened = (activities: Activities): Activities => ({
    ...activities,
    claimTurn: async (input) => {
      const claim = await activities.claimTurn(input);
      if (claim === null) return null;
      limits.set(claim.agentId, claim.maxSteps);
      return whole.has(claim.agentId) ? claim : { ...claim, maxSteps: 2 };
    },
  });

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker({ wrap: shortened });
    app = createRuntimeApp(runtime);
  });

  afterAll(async () => {
    await app.close();
    await runtime.close();
  });

  const anAgent = (input: Parameters<TestRuntime['anAgent']>[0] = {}): Promise<Agent> =>
    runtime.anAgent({
      toolNames: ['send_message', 'core_memory_append', ask, tell],
      toolRules: [{ kind: 'exit_loop', tool: 'send_message' }],
      ...input,
    });

  const post = async (url: string, payload: object): Promise<string> => {
    const answer = await app.inject({ method: 'POST', url, payload });
    if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${answer.body}`);
    return answer.body;
  };

  const message = { messages: [{ role: 'user', content: 'Go on.' }] };
  const scheduled = {
    body: { kind: 'user' as const, content: [{ type: 'text' as const, text: `Go on. ${runCanary()}` }] },
    otid: null,
    senderId: null,
  };
  const asked = (agent: Agent, tool: string) =>
    callOf(tool, { other_agent_id: agent.id, message: 'Go on.', request_heartbeat: true });

  /** Every way to begin a turn without a step limit. Each returns the agent of the turn. */
  const ways: readonly [string, () => Promise<Agent>][] = [
    ...['messages', 'messages/stream', 'messages/async'].map((path): [string, () => Promise<Agent>] => [
      path,
      async () => {
        const agent = await anAgent();
        await post(`/v1/agents/${agent.id}/${path}`, message);
        return agent;
      },
    ]),
    [
      'a message to a conversation',
      async () => {
        const agent = await anAgent();
        const { id } = JSON.parse(await post(`/v1/conversations?agent_id=${agent.id}`, {})) as { id: string };
        await post(`/v1/conversations/${id}/messages`, message);
        return agent;
      },
    ],
    [
      'a chat completion',
      async () => {
        const agent = await anAgent();
        await post('/v1/chat/completions', { model: agent.id, ...message });
        return agent;
      },
    ],
    [
      'a message to a group',
      async () => {
        const agent = await anAgent();
        const group = await createGroup(runtime.db, {
          managerType: 'round_robin',
          agentIds: [agent.id],
          description: 'One.',
        });
        await post(`/v1/groups/${group.id}/messages`, message);
        return agent;
      },
    ],
    [
      'a schedule',
      async () => {
        const agent = await anAgent();
        const schedule = await insertSchedule(runtime.db, {
          kind: 'message',
          agentId: agent.id,
          messages: [scheduled],
          timing: { kind: 'once', at: new Date().toISOString() },
        });
        await enqueueScheduled(runtime.db, { scheduleId: schedule.id, key: 'now' });
        await runtime.bell.ring({ threadId: agent.id, agentId: agent.id });
        return agent;
      },
    ],
    ...[ask, tell].map((tool): [string, () => Promise<Agent>] => [
      `another agent’s ${tool}`,
      async () => {
        const [asker, agent] = [await anAgent(), await anAgent()];
        models.script(asked(agent, tool));
        await runtime.tell(asker, 'Ask.');
        return agent;
      },
    ]),
    [
      'a change of a shared block',
      async () => {
        const agent = await anAgent();
        const block = await createBlock(runtime.db, { label: 'plan', value: '' });
        await attachBlock(runtime.db, { agentId: agent.id, blockId: block.id, notify: true });
        await changeBlock(runtime.db, {
          blockId: block.id,
          operation: { kind: 'append', content: 'x' },
          actor: 'user',
        });
        await wakeForBlocks(runtime.db, agent.id);
        await runtime.bell.ring({ threadId: agent.id, agentId: agent.id });
        return agent;
      },
    ],
  ];

  it('stops after 50 steps [turn.step-limit]', async () => {
    const agent = await anAgent();
    whole.add(agent.id);

    const turn = await runtime.tell(agent, 'Go on.');

    expect(turn).toMatchObject({ stopReason: 'max_steps', steps: usualMaxSteps });
  });

  it.each(ways)('has that limit in a turn that is begun by %s [turn.step-limit]', async (_way, begin) => {
    const agent = await begin();

    const turn = await ended(agent);

    expect(limits.get(agent.id)).toBe(usualMaxSteps);
    expect(turn).toMatchObject({ stopReason: 'max_steps', steps: 2 });
  });

  it('has that limit in a turn that is begun by an approval [turn.step-limit]', async () => {
    const agent = await anAgent({
      toolNames: ['send_message', 'core_memory_append', 'archival_memory_insert'],
      toolRules: [
        { kind: 'requires_approval', tool: 'archival_memory_insert' },
        { kind: 'exit_loop', tool: 'send_message' },
      ],
    });
    models.script(callOf('archival_memory_insert', { content: 'x', request_heartbeat: true }));
    await runtime.tell(agent, 'Ask me first.');
    const waiting = await pendingApproval(runtime.db, agent.id);
    const approvals = (waiting?.toolCallIds ?? []).map((toolCallId) => ({
      kind: 'denied' as const,
      toolCallId,
      reason: 'No.',
    }));

    await runtime.turns.send({ threadId: agent.id, messages: [], approvals });
    const turn = await ended(agent, 2);

    expect(limits.get(agent.id)).toBe(usualMaxSteps);
    expect(turn).toMatchObject({ stopReason: 'max_steps', steps: 2 });
  });

  /** The agent's newest turn, when there are this many and all have ended. */
  async function ended({ id }: Agent, count = 1) {
    const turns = await waitFor(
      async () => {
        const found = await listTurns(runtime.db, { agentIds: [id] }, { order: 'desc' });
        const haveEnded = found.every(({ state }) => state === 'completed' || state === 'failed');
        return found.length === count && haveEnded ? found : undefined;
      },
      { timeoutMs: 90_000, everyMs: 20 },
    );
    return turns?.[0];
  }

  it('has the documented limit [turn.step-limit]', () => {
    expect(usualMaxSteps).toBe(50);
  });
});

/** A model that follows its script and then asks for another step forever. */
function relentless(): ScriptedModels {
  const models = createScriptedModels();
  const goOn = () => callOf('core_memory_append', { label: 'human', content: 'x', request_heartbeat: true });
  const lines: ScriptLine[] = [];
  return {
    ...models,
    script: (...more) => {
      lines.push(...more);
    },
    resolve: (handle) => {
      const model = models.resolve(handle);
      return {
        ...model,
        complete: (request, options) => {
          models.script(lines.shift() ?? goOn());
          return model.complete(request, options);
        },
      };
    },
  };
}
