import { writeSync } from 'node:fs';
import { openDatabase } from '../../schema/db/database.js';

/**
 * The control of the kill tests: a loop as one writes it without a durable runtime. One process takes a message,
 * calls the model, writes what its tools do, and notes at the end that the message is done. It freezes after the
 * n-th write, to be killed; started again, it takes the messages that are not done from the start.
 */
const env = process.env as Record<string, string>;
const freezeAfter = Number(env['FREEZE_AFTER'] ?? '0');
const { pool } = openDatabase(env['DATABASE_URL']!, { connections: 1 });
let writes = 0;

async function write(text: string, values: readonly unknown[]): Promise<void> {
  await pool.query(text, [...values]);
  writes += 1;
  if (writes !== freezeAfter) return;
  writeSync(1, 'frozen\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

interface Call {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

async function askModel(messages: readonly object[]): Promise<Call> {
  const response = await fetch(`${env['OPENAI_BASE_URL']!}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'scripted', messages, tools: [{ function: { name: 'send_message' } }] }),
  });
  const call = { id: '', function: { name: '', arguments: '' } };
  for (const line of (await response.text()).split('\n')) {
    if (!line.startsWith('data: {')) continue;
    const { choices } = JSON.parse(line.slice(6)) as {
      choices: {
        delta: { tool_calls?: { id?: string; function: { name?: string; arguments?: string } }[] };
      }[];
    };
    const part = choices[0]?.delta.tool_calls?.[0];
    call.id += part?.id ?? '';
    call.function.name += part?.function.name ?? '';
    call.function.arguments += part?.function.arguments ?? '';
  }
  return call;
}

async function runTurn(message: string): Promise<void> {
  const messages: object[] = [{ role: 'user', content: message }];
  for (;;) {
    const call = await askModel(messages);
    const args = JSON.parse(call.function.arguments) as Record<string, string>;
    await write('insert into naive_transcript (line) values ($1)', [call.function.name]);
    if (call.function.name === 'core_memory_append')
      await write('update naive_block set value = value || $1', [`\n${args['content']!}`]);
    if (call.function.name === 'core_memory_replace')
      await write('update naive_block set value = replace(value, $1, $2)', [
        args['old_content'],
        args['new_content'],
      ]);
    if (call.function.name === 'archival_memory_insert')
      await write('insert into naive_passages (words) values ($1)', [args['content']]);
    if (call.function.name === 'send_message') return;
    messages.push(
      { role: 'assistant', content: '', tool_calls: [{ ...call, type: 'function' }] },
      { role: 'tool', tool_call_id: call.id, content: 'OK' },
    );
  }
}

const { rows } = await pool.query<{ id: number; words: string }>(
  'select id, words from naive_inbox where not done order by id',
);
for (const { id, words } of rows) {
  await runTurn(words);
  await write('update naive_inbox set done = true where id = $1', [id]);
}
await pool.end();
writeSync(1, 'done\n');
