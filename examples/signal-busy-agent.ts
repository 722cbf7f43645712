/**
 * Sends messages to an agent that is busy: one waits for a turn of its own, one steers the turn under way, one interrupts a turn.
 *
 *   npx tsx examples/signal-busy-agent.ts
 *
 * Needs a running stack: npm start in another terminal, or DATABASE_URL and TEMPORAL_ADDRESS.
 */
import { loadEnvironment, readSettings } from '../adapters/settings/settings.js';
import { connect, type Perdure } from '../client/connect.js';
import type { SentTurn, WhenBusy } from '../client/types.js';
import { showMessage } from './show-message.js';

const settings = readSettings(loadEnvironment());
const perdure = await connect({ settings });
try {
  const agent = await perdure.agents.create({
    name: 'busy example',
    model: settings.model ?? 'perdure/demo',
    blocks: [{ label: 'human', value: 'Name: not known yet' }],
  });
  const send = (content: string, options: { whenBusy?: WhenBusy } = {}): Promise<SentTurn> =>
    perdure.turns.send({ threadId: agent.id, messages: [{ role: 'user', content }], ...options });

  const busy = await send('My name is Ada. I love tea. I collect maps. I play the cello. I live in London.');
  await firstToolResult(perdure, busy.turn.id);
  // Both ring the same workflow: the rows say which of the two is taken up at once.
  const queued = await send('What is my name?');
  const steering = await send('I also love chess.', { whenBusy: 'steer' });

  for (const [what, { turn }] of Object.entries({ busy, steering, queued })) {
    const ended = await perdure.turns.result(turn.id);
    say(`${what}: ${turn.id} ${ended.state}, ${ended.steps} steps of its own`);
  }
  const stopped = await send(
    'I love coffee. I love rain. I love trains. I love bread. I love ships. I love snow. I love figs. I love owls.',
  );
  await firstToolResult(perdure, stopped.turn.id);
  // As over REST with `when_busy: interrupt`. Sent again with its key, a message interrupts nothing more.
  const instead = await send('Where do I live?', { whenBusy: 'interrupt' });
  for (const [what, { turn }] of Object.entries({ stopped, instead })) {
    say(`${what}: ${turn.id} ${(await perdure.turns.result(turn.id)).state}`);
  }

  for (const [what, { turn }] of Object.entries({ busy, queued, instead })) {
    say(`\nThe ${what} turn:`);
    for await (const { event } of perdure.turns.watch(turn.id)) {
      if (event.kind !== 'message') continue;
      for (const line of (await perdure.turns.messages([event.messageId])).flatMap(showMessage)) say(line);
    }
  }
} finally {
  await perdure.close();
}

/** Resolves when the turn is under way: its first tool has run. */
async function firstToolResult({ turns }: Perdure, turnId: string): Promise<void> {
  for await (const { event } of turns.watch(turnId)) {
    if (event.kind !== 'message') continue;
    const [message] = await turns.messages([event.messageId]);
    if (message?.body.kind === 'tool') return;
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
