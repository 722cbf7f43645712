/**
 * An agent whose memory is a class of your own, with a section and tools of its own.
 *
 *   PERDURE_EXTENSIONS=examples/task-list/extension.ts npm start
 *   PERDURE_MODEL=openai/gpt-4o-mini npx tsx examples/task-list/main.ts "water the bees" "write to Mina"
 *
 * Needs a running stack that has loaded the extension, as above, and a model that calls tools.
 */
import { connect } from '../../client/connect.js';
import { requireModel } from '../require-model.js';
import { showMessage } from '../show-message.js';
import { TaskMemory } from './extension.js';

const tasks = process.argv.slice(2);
requireModel();
const perdure = await connect();
try {
  const agent = await perdure.agents.create({
    name: 'worker',
    memory: new TaskMemory({
      human: 'The human has not said their name.',
      persona: 'I work down my tasks.',
      tasks: tasks.length === 0 ? ['greet the user', 'plan the week'] : tasks,
    }),
    toolNames: ['send_voice_message'],
    extension: 'task-list',
  });
  const { turn } = await perdure.turns.send({
    threadId: agent.id,
    messages: [{ role: 'user', content: 'Do your tasks, and then remember to call Bo.' }],
  });
  for await (const { event } of perdure.turns.watch(turn.id)) {
    if (event.kind !== 'message') continue;
    const messages = await perdure.turns.messages([event.messageId]);
    for (const line of messages.flatMap(showMessage)) say(line);
  }
  const ended = await perdure.turns.result(turn.id);
  say(`turn ${ended.state}: ${ended.error?.message ?? ended.stopReason ?? ''}`);
  for (const { label, value, limit } of await perdure.agents.blocks(agent.id)) {
    say(`${label} (${limit}): ${value}`);
  }
} finally {
  await perdure.close();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
