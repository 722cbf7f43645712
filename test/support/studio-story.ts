import { type ChatRequest, lastSaid, type Policy, type Reply } from './model-server.js';
import type { TestStudio } from './studio.js';

const thinking = (text: string) => ({ thinking: text });
const say = (thought: string, message: string): Reply => ({
  call: 'send_message',
  args: { ...thinking(thought), message },
});

/** What the agent of the story answers, by what was said to it; one reply a step. */
const script: readonly (readonly [said: RegExp, replies: readonly Reply[]])[] = [
  [
    /Maiden voyage/,
    [
      {
        call: 'core_memory_append',
        args: {
          ...thinking('A name, a boat, a date: worth keeping.'),
          label: 'human',
          content: 'Boat: Fram, a 9 m sloop. Maiden voyage on 14 May, to Utklippan.',
          request_heartbeat: true,
        },
      },
      say(
        'I confirm, and ask for what is missing.',
        'Noted: **Fram** sails to Utklippan on 14 May. Who is coming along, and may I book the berth?',
      ),
    ],
  ],
  [
    /Mira is coming/,
    [
      {
        call: 'archival_memory_insert',
        args: {
          ...thinking('Details that I need once, on the day.'),
          content: 'Mira: allergic to shellfish, has her day skipper certificate, phone with Sid.',
          request_heartbeat: true,
        },
      },
      {
        call: 'core_memory_replace',
        args: {
          ...thinking('The crew belongs into core memory.'),
          label: 'human',
          old_content: 'Sails on Sundays.',
          new_content: 'Sails on Sundays, with Mira.',
          request_heartbeat: true,
        },
      },
      say(
        'Answer with the plan.',
        'Good crew. The plan so far:\n\n| leg | distance | by |\n| --- | --- | --- |\n| Karlskrona – Utklippan | 18 nm | 11:00 |\n| Utklippan – Karlskrona | 18 nm | 18:00 |\n\nI leave shellfish off the list.',
      ),
    ],
  ],
  [
    /wind/,
    [
      {
        call: 'archival_memory_search',
        args: { ...thinking('What did we note about wind?'), query: 'wind limits', request_heartbeat: true },
      },
      say(
        'Nothing noted; say so.',
        'I have no limit for wind in my notes. What is yours: five Beaufort, six?',
      ),
    ],
  ],
  [/Five/, [say('Short.', 'Five it is. I will tell you on the evening before.')]],
  [/Still/, [say('Short.', 'Yes. All is packed but the flares.')]],
  [/Where to/, [say('Suggest.', 'North of Öland, while the wind holds.')]],
];

/** Plays the agent of the story, and its sleep-time partner. */
export const storyPolicy: Policy = (request, step) => {
  if (request.tools === undefined)
    return { text: 'Sid plans the maiden voyage of Fram to Utklippan with Mira.' };
  if (request.tools.some(({ function: { name } }) => name === 'memory_finish_edits')) return refine(step);
  const said = lastSaid(request);
  const replies = script.find(([pattern]) => pattern.test(said))?.[1] ?? [];
  return replies[Math.min(step, replies.length - 1)] ?? say('Short.', 'Heard.');
};

function refine(step: number): Reply {
  if (step > 0) return { call: 'memory_finish_edits', args: {} };
  return {
    call: 'memory_insert',
    args: { label: 'human', new_string: 'Wind limit: five Beaufort. Mira must not eat shellfish.' },
  };
}

/** A cache of prefixes, as providers have it: what is the same as in the request before. */
function cachedTokens(request: ChatRequest, before: ChatRequest | undefined): number {
  const [now, then] = [request.messages, before?.messages ?? []].map((messages) =>
    messages.map((message) => JSON.stringify(message)),
  );
  const same = now?.findIndex((message, place) => message !== then?.[place]) ?? 0;
  return Math.floor((now ?? []).slice(0, same === -1 ? undefined : same).join('').length / 4);
}

/** An agent with a life to look at: memory, turns, epochs, passages, files, refinements, schedules, a group. */
export async function liveStory({
  rest,
  stack,
  anAgent,
}: TestStudio): Promise<{ id: string; groupId: string }> {
  stack.model.cached = cachedTokens;
  for (const name of ['Grace', 'Linus', 'Tove']) await anAgent({ name });
  const { id } = await anAgent({
    memory_blocks: [
      { label: 'human', value: 'Name: Sid.\nSails on Sundays.' },
      { label: 'persona', value: 'I am Ada, first mate. I plan, remember and keep it short.' },
    ],
  });
  const tell = (content: string) =>
    rest.read('POST', `/v1/agents/${id}/messages`, { messages: [{ role: 'user', content }] });
  await tell('Maiden voyage of the Fram is on 14 May, to Utklippan!');
  await tell('Mira is coming. She can’t eat shellfish.');
  await tell('And the wind?');
  await tell('Five, at most.');
  await rest.read('POST', `/v1/agents/${id}/summarize`, {});
  await tell('Still with me?');
  await rest.read('PATCH', `/v1/agents/${id}`, { enable_sleeptime: true });
  const [sleep] = await rest.read<{ id: string }[]>('GET', `/v1/agents/${id}/groups`);
  const reviewed = { manager_type: 'sleeptime', manager_agent_id: id, review: true };
  await rest.read('PATCH', `/v1/groups/${sleep?.id ?? ''}`, { manager_config: reviewed });
  await rest.read('POST', `/v1/groups/${sleep?.id ?? ''}/refine`, {});
  const schedule = { type: 'recurring', cron_expression: '0 9 * * 1-5', timezone: 'Europe/Stockholm' };
  const messages = [{ role: 'user', content: 'What is planned for today?' }];
  await rest.read('POST', `/v1/agents/${id}/schedule`, { messages, schedule });
  await rest.read('POST', `/v1/groups/${sleep?.id ?? ''}/schedule`, { cron_expression: '0 3 * * *' });
  await addFile({ rest, stack }, id);
  return { id, groupId: await aGroup({ rest, anAgent }) };
}

async function addFile({ rest, stack }: Pick<TestStudio, 'rest' | 'stack'>, agentId: string): Promise<void> {
  const { id } = await rest.read<{ id: string }>('POST', '/v1/folders', {
    name: 'Pilot books',
    embedding: 'perdure/use-lite',
  });
  await rest.read('PATCH', `/v1/agents/${agentId}/folders/attach/${id}`);
  const body = new FormData();
  body.append('file', new Blob(['Utklippan: two harbours, east and west.\n'.repeat(60)]), 'utklippan.txt');
  await fetch(`${stack.url}/v1/folders/${id}/upload`, { method: 'POST', body });
}

async function aGroup({ rest, anAgent }: Pick<TestStudio, 'rest' | 'anAgent'>): Promise<string> {
  const members = await Promise.all(['Nansen', 'Amundsen'].map((name) => anAgent({ name })));
  const { id } = await rest.read<{ id: string }>('POST', '/v1/groups', {
    description: 'Plan the trip',
    agent_ids: members.map((member) => member.id),
  });
  const messages = [{ role: 'user', content: 'Where to?' }];
  await rest.read('POST', `/v1/groups/${id}/messages`, { messages });
  return id;
}
