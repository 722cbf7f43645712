import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageFile } from '../../stack/processes.js';
import { runForJsonLines } from '../support/json-lines.js';
import { timeless } from '../support/kills/kill-scenario.js';
import { type ChatRequest, lastReturned, lastSaid, type Reply } from '../support/model-server.js';
import { pythonWith } from '../support/python-clients.js';
import { createRest } from '../support/server/rest.js';
import { shareTestStack, type TestStack } from '../support/stack.js';

interface Shown {
  readonly cell: number;
  readonly kind: 'message' | 'print' | 'value';
  readonly content: Readonly<Record<string, unknown>>;
}

/** Two agents that share a block about their company: one judges candidates, the other writes to them. */
function recruiters(request: ChatRequest): Reply {
  const prompt = JSON.stringify(request.messages[0]);
  const returned = lastReturned(request);
  if (prompt.includes('evaluating candidates')) {
    const outreach = /agent ID (agent-[0-9a-f-]+)/.exec(prompt)?.[1] ?? '';
    const message = 'Tony Stark knows React and TypeScript.';
    return act('send_message_to_agent_and_wait_for_reply', { message, other_agent_id: outreach });
  }
  if (lastSaid(request).includes('rebranded')) {
    if (returned.includes('called Letta')) return act('send_message', { message: 'We are Letta now.' });
    const edit = { label: 'company', old_content: 'called AgentOS', new_content: 'called Letta' };
    return act('core_memory_replace', { ...edit, request_heartbeat: true });
  }
  if (returned.includes('Here is a draft email'))
    return act('send_message', { message: 'I wrote to Tony Stark.' });
  const company = /company is called (\w+)/.exec(prompt)?.[1] ?? 'nobody';
  return act('draft_candidate_email', {
    content: `Dear Tony, ${company} wants you.`,
    request_heartbeat: true,
  });
}

function act(call: string, args: Record<string, unknown>): Reply {
  return { call, args: { thinking: `I use ${call}.`, ...args } };
}

describe('the document’s recruiting workflow, with the Python client of its time', () => {
  let stack: TestStack;
  let python: string;

  beforeAll(async () => {
    [stack, python] = await Promise.all([shareTestStack(recruiters), pythonWith('0.1.172')]);
  });

  afterAll(async () => {
    await stack.close();
  });

  async function recruit(): Promise<{ cells: Shown[][]; agents: Record<string, string> }> {
    const args = [packageFile('test/seeds/run.py'), packageFile('test/seeds/recruiting.py'), stack.url];
    const shown = (await runForJsonLines(python, args)) as Shown[];
    const agents = shown.pop()?.content['agents'] as Record<string, string>;
    const last = shown.at(-1)?.cell ?? 0;
    const cells = Array.from({ length: last + 1 }, (_, index) => shown.filter(({ cell }) => cell === index));
    return { cells, agents };
  }

  /** What is left of it: both transcripts and the shared block, without ids and times. */
  async function remains(agents: Record<string, string>): Promise<unknown> {
    const rest = createRest(stack.url);
    const all = [];
    for (const id of Object.values(agents)) {
      const messages = await rest.read<Record<string, unknown>[]>(
        'GET',
        `/v1/agents/${id}/messages?order=asc`,
      );
      all.push(messages.map((message) => ({ ...message, date: null, otid: null })));
      all.push(await rest.read('GET', `/v1/agents/${id}/core-memory/blocks/company`).then(valueOf));
    }
    return timeless(
      JSON.parse(
        JSON.stringify(all)
          .replace(/call_[\w-]+/g, '<call>')
          .replace(/\\"time\\": ?\\"[^"]*\\"/g, '')
          .replace(/(last recompiled: )[^\\]*/g, '$1<time>'),
      ),
    );
  }

  const valueOf = (block: unknown): unknown => (block as { value: unknown }).value;
  let undisturbed: unknown;

  it('[agents.seed] judges, writes by the other agent, and shares what became of the company', async () => {
    const { cells, agents } = await recruit();
    const [judged = [], rebranded = []] = cells.slice(-2);
    undisturbed = await remains(agents);

    expect(judged.map(typeOf)).toEqual([
      'reasoning_message',
      'tool_call_message',
      'tool_return_message',
      'stop_reason',
      'usage_statistics',
    ]);
    expect(judged[2]?.content).toMatchObject({ status: 'success' });
    expect(JSON.parse(String(judged[2]?.content['tool_return']))).toEqual({
      agent_id: agents['outreach_agent'],
      response: ['I wrote to Tony Stark.'],
    });
    expect(rebranded.map(typeOf)).toContain('assistant_message');
    expect(JSON.stringify(undisturbed)).toContain('Here is a draft email: Dear Tony, AgentOS wants you.');
    const [, ofOne, , ofOther] = undisturbed as unknown[];
    expect(ofOne).toContain('The company is called Letta and');
    expect(ofOther).toBe(ofOne);
  });

  it('[agents.seed] ends the same with kill -9 of the worker while the other agent writes', async () => {
    const replacement = new Promise<void>((resolve, reject) => {
      stack.model.onHalfway = async (request) => {
        if (!lastReturned(request).includes('Here is a draft email')) return;
        stack.model.onHalfway = undefined;
        await stack.worker.kill();
        stack.startWorker().then(() => {
          resolve();
        }, reject);
      };
    });

    const { agents } = await recruit();
    await replacement;

    expect(await remains(agents)).toEqual(undisturbed);
  });
});

function typeOf({ content }: Shown): unknown {
  return content['message_type'];
}
