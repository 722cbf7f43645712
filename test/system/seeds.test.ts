import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageFile } from '../../stack/processes.js';
import { runForJsonLines } from '../support/json-lines.js';
import { type ChatRequest, lastReturned, lastSaid, type Reply } from '../support/model-server.js';
import { pythonWith } from '../support/python-clients.js';
import { shareTestStack, type TestStack } from '../support/stack.js';

/** What a cell of a notebook showed. */
interface Shown {
  readonly cell: number;
  readonly kind: 'message' | 'print' | 'value';
  readonly content: Readonly<Record<string, unknown>>;
}

/** The agent as the document shows it, by what was said to it last. */
function documentModel(request: ChatRequest, step: number): Reply {
  const said = lastSaid(request);
  if (step === 0 && said.includes('my name actually is Sid')) {
    return act('core_memory_replace', { label: 'human', old_content: 'Shilpa', new_content: 'Sid' });
  }
  if (step === 0 && said.includes('Save the information that')) {
    return act('archival_memory_insert', { content: 'Shilpa loves machine learning' });
  }
  if (step === 0 && said.includes('Search archival')) {
    return act('archival_memory_search', { query: 'what chocolates does Shilpa love' });
  }
  return speak(said, request);
}

function act(call: string, args: Record<string, unknown>): Reply {
  return { call, args: { thinking: `I use ${call}.`, ...args, request_heartbeat: true } };
}

/** It says what it was given, so that nothing is shown that did not come through the server. */
function speak(said: string, request: ChatRequest): Reply {
  // Within an epoch the prompt's prefix stays as it was; an edit is read in its tool's result.
  const names = [...JSON.stringify(request.messages).matchAll(/My name is (\w+)/g)];
  const name = names.at(-1)?.[1] ?? 'nobody';
  const message = said.includes('Search archival')
    ? `You love ${/loves (Hersheys)/.exec(lastReturned(request))?.[1] ?? 'nothing'} 🍫`
    : `I remember ${name} 😊`;
  return { call: 'send_message', args: { thinking: 'I answer.', message } };
}

describe('the document’s snippets, with the Python client of their time', () => {
  let stack: TestStack;
  let python: string;

  beforeAll(async () => {
    [stack, python] = await Promise.all([shareTestStack(documentModel), pythonWith('0.1.172')]);
    // Where the client must be installed first, a registry is waited for.
  });

  afterAll(async () => {
    await stack.close();
  });

  const runNotebook = async (name: string): Promise<{ agentId: string; cells: Shown[][] }> => {
    const run = packageFile('test/seeds/run.py');
    const args = [run, packageFile(`test/seeds/${name}.py`), stack.url];
    const shown = (await runForJsonLines(python, args)) as Shown[];
    const agentId = String(shown.pop()?.content['agent_id']);
    const cells = Array.from({ length: (shown.at(-1)?.cell ?? 0) + 1 }, (_, index) =>
      shown.filter(({ cell }) => cell === index),
    );
    return { agentId, cells };
  };

  const read = async (path: string): Promise<unknown> => (await fetch(`${stack.url}${path}`)).json();

  it('[rest.seed-script] edits its memory, stores a passage and finds another', async () => {
    const { agentId, cells } = await runNotebook('simple_agent');
    const [, , hello, usage, renamed, human, saved, created, searched] = cells;

    expect(hello).toMatchObject([
      {
        content: { message_type: 'reasoning_message', reasoning: 'I answer.', source: 'non_reasoner_model' },
      },
      { content: { message_type: 'assistant_message', content: 'I remember Shilpa 😊' } },
    ]);
    expect(usage?.map(({ content }) => Number(content))).toEqual([expect.any(Number), expect.any(Number), 1]);
    expect(Number(usage?.[0]?.content)).toBeGreaterThan(0);
    expect(Number(usage?.[1]?.content)).toBeGreaterThan(100);
    expect(renamed?.map(typeOf)).toEqual([
      'reasoning_message',
      'tool_call_message',
      'tool_return_message',
      'reasoning_message',
      'assistant_message',
    ]);
    expect(renamed?.[1]).toMatchObject({ content: { tool_call: { name: 'core_memory_replace' } } });
    expect(renamed?.[2]).toMatchObject({ content: { status: 'success' } });
    expect(renamed?.at(-1)).toMatchObject({ content: { content: 'I remember Sid 😊' } });
    expect(human).toMatchObject([{ kind: 'value', content: 'My name is Sid' }]);
    expect(saved?.[1]).toMatchObject({ content: { tool_call: { name: 'archival_memory_insert' } } });
    expect(created).toMatchObject([{ content: [{ text: "Shilpa's loves Hersheys" }] }]);
    expect(searched?.at(-1)).toMatchObject({ content: { content: 'You love Hersheys 🍫' } });
    expect(await read(`/v1/agents/${agentId}/archival-memory`)).toMatchObject([
      { text: 'Shilpa loves machine learning' },
      { text: "Shilpa's loves Hersheys" },
    ]);
    expect(await read(`/v1/agents/${agentId}`)).toMatchObject({ name: 'simple_agent' });
  });

  it('[rest.seed-script] lists blocks, and streams an answer', async () => {
    const { agentId, cells } = await runNotebook('memory_blocks');
    const [, , , streamed] = cells;

    expect(streamed?.map(typeOf)).toEqual([
      'reasoning_message',
      'assistant_message',
      'stop_reason',
      'usage_statistics',
    ]);
    expect(streamed?.[1]).toMatchObject({ content: { content: 'I remember Rabbit 😊' } });
    expect(streamed?.[2]).toMatchObject({ content: { stop_reason: 'end_turn' } });
    expect(streamed?.[3]).toMatchObject({ content: { step_count: 1 } });
    expect(await read(`/v1/agents/${agentId}/core-memory/blocks`)).toMatchObject([
      { label: 'human', value: "The human's name is Winnie the Pooh." },
      { label: 'persona', value: 'My name is Rabbit, the all-knowing sentient AI.' },
    ]);
  });
});

function typeOf({ content }: Shown): unknown {
  return content['message_type'];
}
