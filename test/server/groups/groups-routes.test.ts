import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { wireAgent, type WireAgent } from '../../../server/agents/agents-wire.js';
import { wireGroup } from '../../../server/groups/groups-wire.js';
import { fernHeaders, startTestServer, type TestServer } from '../test-server.js';

const noAgent = 'agent-00000000-0000-4000-8000-000000000000';

describe('groups and sleep-time partners over REST', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(() => server.close());

  const partnerOf = (agent: WireAgent): Promise<WireAgent> =>
    server.read(wireAgent, 'GET', `/v1/agents/${agent.managed_group!.agent_ids[0]!}`);

  const read = (agent: WireAgent): Promise<WireAgent> =>
    server.read(wireAgent, 'GET', `/v1/agents/${agent.id}`);

  const blocks = [
    { label: 'human', value: 'Bob' },
    { label: 'persona', value: 'I am Sam.' },
  ];

  it('[sleep.partner] creates a partner over the same blocks, and their group, with enable_sleeptime', async () => {
    const agent = await server.anAgent({ name: 'Sam', enable_sleeptime: true, memory_blocks: blocks });

    const partner = await partnerOf(agent);

    expect(agent.enable_sleeptime).toBe(true);
    expect(agent.managed_group).toMatchObject({
      manager_type: 'sleeptime',
      manager_agent_id: agent.id,
      sleeptime_agent_frequency: 5,
      turns_counter: 0,
      sleeptime: {
        max_steps: 20,
        max_tokens: 200_000,
        min_kept_share: 0.4,
        review: false,
        at_eviction: true,
      },
    });
    expect(agent.multi_agent_group).toEqual(agent.managed_group);
    expect(partner).toMatchObject({
      name: 'Sam-sleeptime',
      agent_type: 'sleeptime_agent',
      managed_group: null,
    });
    expect(partner.blocks.map((block) => block.label)).toEqual(['memory_persona', 'human', 'persona']);
    const idOf = (of: WireAgent, label: string) => of.blocks.find((block) => block.label === label)?.id;
    expect(idOf(partner, 'human')).toBe(idOf(agent, 'human'));
    expect(partner.tool_rules).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'exit_loop', tool_name: 'memory_finish_edits' }),
        expect.objectContaining({ type: 'required_before_exit', tool_name: 'memory_finish_edits' }),
      ]),
    );
  });

  it.each([
    ['memgpt_agent', ['send_message', 'conversation_search', 'archival_memory_search']],
    ['letta_v1_agent', ['conversation_search', 'archival_memory_search']],
  ])('[sleep.chat-tools] leaves editing to the partner of a %s', async (agent_type, expected) => {
    const agent = await server.anAgent({ agent_type, enable_sleeptime: true });

    const partner = await partnerOf(agent);

    expect(agent.tools.map((tool) => tool.name)).toEqual(expected);
    expect(partner.tools.map((tool) => tool.name)).toEqual([
      'memory_replace',
      'memory_insert',
      'memory_rethink',
      'memory_finish_edits',
    ]);
  });

  it('[sleep.switch] switches sleep-time on, off and on again with the same partner', async () => {
    const agent = await server.anAgent({ memory_blocks: blocks });
    const switchTo = (enable_sleeptime: boolean) =>
      server.read(wireAgent, 'PATCH', `/v1/agents/${agent.id}`, { body: { enable_sleeptime } });
    expect(agent).toMatchObject({ enable_sleeptime: null, managed_group: null });

    const on = await switchTo(true);
    const off = await switchTo(false);
    const again = await switchTo(true);

    expect(on).toMatchObject({ enable_sleeptime: true, managed_group: { paused: false } });
    expect(off).toMatchObject({ enable_sleeptime: false, managed_group: { paused: true } });
    expect(again.managed_group).toEqual(on.managed_group);
  });

  it('[sleep.partner] deletes the partner and the group with the agent but keeps the blocks', async () => {
    const agent = await server.anAgent({ enable_sleeptime: true, memory_blocks: blocks });
    const group = agent.managed_group!;

    await server.call('DELETE', `/v1/agents/${agent.id}`);

    expect(await server.call('GET', `/v1/agents/${group.agent_ids[0]!}`)).toMatchObject({ status: 404 });
    expect(await server.call('GET', `/v1/groups/${group.id}`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining(`Group with ID ${group.id} not found`) },
    });
    expect(await server.call('GET', `/v1/blocks/${agent.blocks[0]!.id}`)).toMatchObject({ status: 200 });
  });

  it('[sleep.groups] changes one setting for a 0.1.x client and keeps the others', async () => {
    const agent = await server.anAgent({ enable_sleeptime: true });
    const url = `/v1/groups/${agent.managed_group!.id}`;
    const change = (manager_config: object) =>
      server.read(wireGroup, 'PATCH', url, {
        headers: fernHeaders,
        body: { manager_config: { manager_type: 'sleeptime', ...manager_config } },
      });

    const bounded = await change({ max_steps: 3, review: true });
    const slower = await change({ sleeptime_agent_frequency: 7, manager_agent_id: agent.id });

    expect(bounded).toMatchObject({
      sleeptime_agent_frequency: 5,
      sleeptime: { max_steps: 3, review: true },
    });
    expect(slower).toMatchObject({
      sleeptime_agent_frequency: 7,
      sleeptime: { max_steps: 3, review: true, max_tokens: 200_000 },
    });
    expect((await read(agent)).managed_group).toEqual(slower);
    expect(await change({ sleeptime_agent_frequency: null })).toMatchObject({
      sleeptime_agent_frequency: null,
    });
  });

  it('[sleep.groups] creates, lists, counts and deletes groups of any type', async () => {
    const lead = await server.anAgent();
    const [one, two] = [await server.anAgent(), await server.anAgent()];
    const before = await server.read(z.number(), 'GET', '/v1/groups/count');

    const round = await server.read(wireGroup, 'POST', '/v1/groups/', {
      body: { agent_ids: [two.id, one.id], description: 'a round', shared_block_ids: [] },
    });
    const led = await server.read(wireGroup, 'POST', '/v1/groups/', {
      body: {
        agent_ids: [one.id],
        description: 'led',
        manager_config: { manager_type: 'dynamic', manager_agent_id: lead.id, termination_token: 'DONE!' },
      },
    });

    expect(round).toMatchObject({
      manager_type: 'round_robin',
      agent_ids: [two.id, one.id],
      sleeptime: null,
    });
    expect(led).toMatchObject({ manager_agent_id: lead.id, termination_token: 'DONE!', sleeptime: null });
    expect(await server.read(z.number(), 'GET', '/v1/groups/count')).toBe(before + 2);
    const list = (query: string) => server.read(z.array(wireGroup), 'GET', query);
    expect(await list(`/v1/agents/${one.id}/groups`)).toEqual([round, led]);
    expect(await list(`/v1/agents/${one.id}/groups?manager_type=dynamic`)).toEqual([led]);
    expect(await list(`/v1/groups?manager_agent_id=${lead.id}`)).toEqual([led]);
    expect((await list(`/v1/groups?after=${round.id}`)).map(({ id }) => id)).toEqual([led.id]);
    await server.call('DELETE', `/v1/groups/${led.id}`);
    expect(await list(`/v1/agents/${one.id}/groups`)).toEqual([round]);
    expect((await read(one)).id).toBe(one.id);
  });

  it('[sleep.groups-refused] refuses unknown agents, missing managers, bad bounds and a second sleep-time group', async () => {
    const agent = await server.anAgent({ enable_sleeptime: true });
    const create = (body: object) =>
      server.call('POST', '/v1/groups', { body: { agent_ids: [], description: '', ...body } });
    const sleeptime = { manager_type: 'sleeptime', manager_agent_id: agent.id };

    expect(await create({ agent_ids: [noAgent] })).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining(`Agent with ID ${noAgent} not found`) },
    });
    expect(await create({ manager_config: { manager_type: 'supervisor' } })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/manager_agent_id: is required with this manager_type/) },
    });
    expect(await create({ manager_config: { ...sleeptime, min_kept_share: 2 } })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/min_kept_share/) },
    });
    expect(await create({ manager_config: sleeptime })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('has a sleep-time group already') },
    });
    const url = `/v1/groups/${agent.managed_group!.id}`;
    expect(
      await server.call('PATCH', url, { body: { manager_config: { manager_type: 'round_robin' } } }),
    ).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/is sleeptime for this group and can't be changed/) },
    });
  });
});
