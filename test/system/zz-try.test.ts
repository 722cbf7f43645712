import { expect, it } from '@jest/globals';
import { startTestStack } from '../support/stack.js';
import { createRest } from '../support/rest.js';
import { conformanceModel } from '../support/conformance-model.js';
it('smoke', async () => {
  const stack = await startTestStack(conformanceModel);
  const { call, read } = createRest(stack.url);
  const out: string[] = [];
  const M = { model: 'openai/scripted', embedding: 'openai/text-embedding-3-small' };
  const a: any = await read('POST', '/v1/agents/', { ...M, memory_blocks: [{ label: 'human', value: 'x' }] });
  const b: any = await read('POST', '/v1/blocks/', { label: 'l', value: 'v', limit: 5 });
  const A = `/v1/agents/${a.id}`;
  const nul = 'a\u0000b',
    lone = 'a\ud800b';
  const cases: [string, string, unknown?][] = [
    ['POST', `${A}/messages`, { messages: [{ role: 'user', content: nul }] }],
    ['POST', `${A}/messages`, { messages: [{ role: 'user', content: lone }] }],
    [
      'POST',
      `${A}/messages`,
      { messages: [{ role: 'user', content: 'x', otid: nul, name: nul, sender_id: nul }] },
    ],
    ['POST', `${A}/messages`, { messages: [{ role: 'user', content: 'x', otid: lone, name: lone }] }],
    ['POST', `${A}/messages`, { messages: [{ role: 'user', content: [] }] }],
    ['POST', `${A}/messages`, { messages: [{ role: 'user', content: '' }] }],
    ['POST', `${A}/messages`, { messages: [{ role: 'user', content: [{ type: 'text', text: nul }] }] }],
    [
      'POST',
      `${A}/messages`,
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'xx' } }],
          },
        ],
      },
    ],
    ['POST', `${A}/messages`, { messages: [] }],
    ['POST', `${A}/messages`, { messages: [{ role: 'robot', content: 'x' }] }],
    ['POST', `${A}/messages`, { messages: [{ role: 'assistant', content: 'I said' }] }],
    ['POST', `${A}/messages`, { messages: [{ role: 'system', content: 'Alert' }] }],
    ['POST', `${A}/messages`, { messages: [{ role: 'user', content: 'x' }], max_steps: 0 }],
    ['POST', `${A}/messages`, { messages: [{ role: 'user', content: 'x' }], max_steps: 9007199254740991 }],
    ['POST', `${A}/messages`, { messages: [{ role: 'user', content: 'x' }], max_steps: 3000000000 }],
    [
      'POST',
      `${A}/messages`,
      { messages: [{ role: 'user', content: 'x' }], include_return_message_types: ['nonsense'] },
    ],
    [
      'POST',
      `${A}/messages`,
      { messages: [{ role: 'user', content: 'x' }], assistant_message_tool_name: nul },
    ],
    ['POST', `${A}/messages`, '{bad'],
    ['POST', `${A}/messages`, 'null'],
    ['POST', `${A}/messages`, '[]'],
    ['POST', `${A}/messages`, '"x"'],
    ['POST', `/v1/agents/`, { ...M, name: nul }],
    ['POST', `/v1/agents/`, { ...M, name: lone }],
    ['POST', `/v1/agents/`, { ...M, name: 'x'.repeat(10000) }],
    ['POST', `/v1/agents/`, { ...M, name: 5 }],
    ['POST', `/v1/agents/`, { ...M, system: nul, description: nul, metadata: { [nul]: nul, [lone]: lone } }],
    ['POST', `/v1/agents/`, { ...M, tags: [nul] }],
    ['POST', `/v1/agents/`, { ...M, tags: ['x', 'x'] }],
    ['POST', `/v1/agents/`, { ...M, tags: ['x'.repeat(10000)] }],
    ['POST', `/v1/agents/`, { ...M, context_window_limit: 9007199254740991 }],
    ['POST', `/v1/agents/`, { ...M, context_window_limit: 3000000000 }],
    ['POST', `/v1/agents/`, { ...M, context_window_limit: -1 }],
    ['POST', `/v1/agents/`, { ...M, max_tokens: 9007199254740991 }],
    ['POST', `/v1/agents/`, { ...M, memory_blocks: 'x' }],
    ['POST', `/v1/agents/`, { ...M, memory_blocks: [{ label: 'x' }] }],
    ['POST', `/v1/agents/`, { ...M, memory_blocks: [{ label: 'x', value: 'long', limit: 2 }] }],
    [
      'POST',
      `/v1/agents/`,
      {
        ...M,
        memory_blocks: [
          { label: 'x', value: 'a' },
          { label: 'x', value: 'b' },
        ],
      },
    ],
    [
      'POST',
      `/v1/agents/`,
      { ...M, memory_blocks: [{ label: nul, value: nul, description: nul, metadata: { x: nul } }] },
    ],
    ['POST', `/v1/agents/`, { ...M, memory_blocks: [{ label: 'a/b', value: lone }] }],
    [
      'POST',
      `/v1/agents/`,
      { ...M, memory_blocks: [{ label: 'x', value: 'long', limit: 9007199254740991 }] },
    ],
    ['POST', `/v1/agents/`, { ...M, block_ids: [b.id, b.id] }],
    ['POST', `/v1/agents/`, { ...M, block_ids: ['block-00000000-0000-4000-8000-000000000000'] }],
    ['POST', `/v1/agents/`, { ...M, tool_ids: ['tool-00000000-0000-4000-8000-000000000000'] }],
    ['POST', `/v1/agents/`, { ...M, tools: ['no_such_tool'] }],
    ['POST', `/v1/agents/`, { ...M, tools: [nul] }],
    ['POST', `/v1/agents/`, { ...M, tool_rules: [{ type: 'nonsense', tool_name: 'x' }] }],
    ['POST', `/v1/agents/`, { ...M, tool_rules: [{ type: 'exit_loop', tool_name: 'no_such' }] }],
    ['POST', `/v1/agents/`, { ...M, agent_type: 'nonsense' }],
    ['POST', `/v1/agents/`, { ...M, timezone: 'Mars' }],
    ['POST', `/v1/agents/`, { ...M, model: 'nomodel' }],
    ['POST', `/v1/agents/`, { ...M, model: '' }],
    ['POST', `/v1/agents/`, { ...M, model: 'openai/' }],
    ['POST', `/v1/agents/`, { ...M, model: nul }],
    ['POST', `/v1/agents/`, { ...M, model: 'openai/' + nul }],
    ['POST', `/v1/agents/`, { ...M, model: 'anthropic/claude' }],
    ['POST', `/v1/agents/`, { ...M, embedding: 'nobody/x' }],
    ['POST', `/v1/agents/`, {}],
    ['GET', `/v1/agents/?limit=0`],
    ['GET', `/v1/agents/?limit=abc`],
    ['GET', `/v1/agents/?limit=99999999999`],
    ['GET', `/v1/agents/?after=agent-00000000-0000-4000-8000-000000000000`],
    ['GET', `/v1/agents/?after=nonsense`],
    ['GET', `/v1/agents/?name=%00`],
    ['GET', `/v1/agents/?tags=%00`],
    ['GET', `/v1/agents/?query_text=%25`],
    ['GET', `/v1/agents/?name=a&name=b`],
    ['GET', `/v1/agents/%00`],
    ['GET', `/v1/agents/%E0%A4%A`],
    ['GET', `${A}/core-memory/blocks/%00`],
    ['GET', `${A}/core-memory/blocks/nope`],
    ['PATCH', `${A}/core-memory/blocks/human`, { value: nul }],
    ['PATCH', `${A}/core-memory/blocks/human`, { value: lone }],
    ['PATCH', `${A}/core-memory/blocks/human`, { label: nul }],
    ['PATCH', `${A}/core-memory/blocks/human`, {}],
    ['PATCH', `${A}/core-memory/blocks/human`, undefined],
    ['PATCH', `/v1/blocks/${b.id}`, { value: 'too long' }],
    ['PATCH', `/v1/blocks/${b.id}`, { limit: 0 }],
    ['PATCH', `/v1/blocks/${b.id}`, { limit: 9007199254740991 }],
    ['POST', `/v1/blocks/`, { label: '', value: 'x' }],
    ['POST', `/v1/blocks/`, { label: 'x', value: 'x', tags: [nul], name: nul }],
    ['POST', `/v1/blocks/`, { label: 'x', value: 7 }],
    ['POST', `${A}/archival-memory`, { text: nul }],
    ['POST', `${A}/archival-memory`, { text: lone }],
    ['POST', `${A}/archival-memory`, { text: '' }],
    ['POST', `${A}/archival-memory`, { text: 'x', tags: [nul], created_at: '9999999-01-01' }],
    ['POST', `${A}/archival-memory`, { text: 'x', created_at: '0000-01-01T00:00:00Z' }],
    ['POST', `${A}/archival-memory`, { text: 'x', created_at: '9999-12-31T23:59:59Z' }],
    ['POST', `${A}/archival-memory`, {}],
    ['GET', `${A}/archival-memory?search=%00`],
    ['GET', `${A}/archival-memory?search=%25`],
    ['GET', `${A}/archival-memory/search?query=%00`],
    ['GET', `${A}/archival-memory/search?query=`],
    ['GET', `${A}/archival-memory/search?query='"\\:*|!&()`],
    ['GET', `${A}/archival-memory/search`],
    ['GET', `${A}/archival-memory/search?query=x&top_k=100000`],
    ['GET', `${A}/archival-memory/search?query=x&start_datetime=yesterday`],
    ['DELETE', `${A}/archival-memory/passage-00000000-0000-4000-8000-000000000000`],
    ['PATCH', `${A}/tools/attach/tool-00000000-0000-4000-8000-000000000000`],
    ['PATCH', `${A}/core-memory/blocks/attach/block-00000000-0000-4000-8000-000000000000`],
    ['PATCH', `${A}/core-memory/blocks/detach/block-00000000-0000-4000-8000-000000000000`],
    ['PATCH', `${A}/core-memory/blocks/detach/${b.id}`],
    ['PATCH', A, { name: nul }],
    ['PATCH', A, { name: null, system: lone }],
    ['PATCH', A, { tool_ids: ['tool-00000000-0000-4000-8000-000000000000'] }],
    ['PATCH', A, { block_ids: ['block-00000000-0000-4000-8000-000000000000'] }],
    ['PATCH', A, { model: 'nobody/x' }],
    ['GET', `${A}/messages?before=message-00000000-0000-4000-8000-000000000000`],
    ['GET', `${A}/messages?include_return_message_types=nonsense`],
    ['POST', `${A}/messages/cancel`, { run_ids: ['run-00000000-0000-4000-8000-000000000000'] }],
    ['POST', `${A}/messages/cancel`],
    ['GET', `/v1/runs/?statuses=nonsense`],
    ['GET', `/v1/runs/?agent_ids=%00`],
    ['GET', `/v1/runs/?conversation_id=%00`],
    ['GET', `/v1/runs/run-00000000-0000-4000-8000-000000000000`],
    ['POST', `/v1/runs/run-00000000-0000-4000-8000-000000000000/stream`, {}],
    ['POST', `/v1/runs/run-00000000-0000-4000-8000-000000000000/stream`, { starting_after: -1 }],
    ['GET', `/v1/steps/?model=%00`],
    ['GET', `/v1/tools/?name=%00`],
    ['GET', `/v1/tools/?search=%00`],
    ['GET', `/v1/tags/?query_text=%00`],
    ['GET', `/v1/tags/?after=%00`],
    ['GET', `/v1/blocks/?label=%00&value_search=%00`],
    ['GET', `/v1/blocks/?tags=%00`],
    ['PUT', `/v1/agents/`, {}],
    ['GET', `/v1/nonsense`],
    ['POST', `/v1/agents/`, JSON.stringify({ ...M, name: 'x'.repeat(17 * 1024 * 1024) })],
    ['POST', `/v1/agents/`, '['.repeat(100000)],
    ['POST', `/v1/agents/`, '{"__proto__": {"x": 1}, "model": "openai/scripted"}'],
    ['POST', `/v1/agents/`, { ...M, metadata: JSON.parse('{"a":'.repeat(3000) + '1' + '}'.repeat(3000)) }],
  ];
  for (const [m, p, body] of cases) {
    const t0 = Date.now();
    process.stderr.write('.');
    const r: any = await call(m, p, body).catch((e: any) => ({ status: -1, body: String(e.cause ?? e) }));
    const mark = r.status >= 500 || r.status < 0 ? '!!!' : '   ';
    out.push(
      `${mark}${Date.now() - t0 > 1500 ? 'SLOW' + (Date.now() - t0) : ''} ${r.status} ${m} ${p.replace(a.id, 'A').slice(0, 70)} ${JSON.stringify(body ?? null).slice(0, 160)} -> ${r.status === 200 ? '' : JSON.stringify(r.body).slice(0, 330)}`,
    );
  }
  console.log(out.join('\n'));
  console.log(stack.server.log(), stack.worker.log());
  await stack.close();
  expect(1).toBe(1);
}, 120000);
