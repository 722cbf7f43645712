/**
 * Starts a turn through Temporal, with no REST server between, and prints it while it runs.
 *
 *   npx tsx examples/send-and-watch.ts "My name is Ada. I love tea."
 *
 * Needs a running stack: npm start in another terminal, or DATABASE_URL and TEMPORAL_ADDRESS.
 */
import { loadEnvironment, readSettings } from '../adapters/settings/settings.js';
import { connect } from '../client/connect.js';
import { showMessage } from './show-message.js';

const said = process.argv[2] ?? 'My name is Ada. I live in London. I love tea.';

const settings = readSettings(loadEnvironment());
const perdure = await connect({ settings });
try {
  const agent = await perdure.agents.create({
    name: 'example',
    model: settings.model ?? 'perdure/demo',
    blocks: [
      { label: 'human', value: 'Name: not known yet' },
      { label: 'persona', value: 'I remember what I am told.' },
    ],
  });

  // An agent's id is also the id of its default thread. Once `send` returns, the message can't be lost.
  const { turn } = await perdure.turns.send({
    threadId: agent.id,
    messages: [{ role: 'user', content: said }],
  });
  say(`turn ${turn.id} of ${agent.id}`);

  for await (const { event } of perdure.turns.watch(turn.id)) {
    if (event.kind !== 'message') continue;
    const messages = await perdure.turns.messages([event.messageId]);
    for (const line of messages.flatMap(showMessage)) say(line);
  }

  const ended = await perdure.turns.result(turn.id);
  say(`turn ${ended.state} after ${ended.steps} steps: ${ended.error?.message ?? ended.stopReason ?? ''}`);
  for (const { label, value, revision } of await perdure.agents.blocks(agent.id)) {
    say(`block ${label}, revision ${revision}:\n  ${value.replaceAll('\n', '\n  ')}`);
  }
  if (ended.state !== 'completed') process.exitCode = 1;
} finally {
  await perdure.close();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
