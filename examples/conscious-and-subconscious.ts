/**
 * Two agents over one memory: the one that talks only speaks and searches, and a second one, which nobody talks with,
 * goes through what was said and keeps the memory that both see.
 *
 *   PERDURE_MODEL=openai/gpt-4o-mini npx tsx examples/conscious-and-subconscious.ts
 *
 * Needs a running stack (npm start in another terminal, or DATABASE_URL and TEMPORAL_ADDRESS) and a model that calls tools.
 */
import { connect } from '../client/connect.js';
import { listRevisions } from '../schema/blocks/revisions.js';
import { listGroups } from '../schema/groups/groups.js';
import { requireModel } from './require-model.js';

requireModel();
const perdure = await connect();
try {
  const conscious = await perdure.agents.create({
    name: 'conscious',
    enableSleeptime: true,
    blocks: [
      { label: 'human', value: 'Name: not known yet' },
      { label: 'persona', value: 'I listen, and answer in a sentence or two.' },
    ],
  });
  const [group] = await listGroups(perdure.db, { managerAgentIds: [conscious.id] }, {});
  if (group === undefined) throw new Error('The agent has no partner.');

  for (const said of ['Hi, I am Ada. I moved to Bergen last week.', 'I keep bees, and I love tea.']) {
    const { turn } = await perdure.turns.send({
      threadId: conscious.id,
      messages: [{ role: 'user', content: said }],
    });
    const ended = await perdure.turns.result(turn.id);
    say(`user: ${said}\n  turn ${ended.state}: ${ended.error?.message ?? ended.stopReason ?? ''}`);
  }
  await showBlocks('Before sleep');

  // It happens by itself every few turns; here we ask for it.
  const [request] = await perdure.sleepTime.refine(group.id);
  const refinements = request === undefined ? [] : await perdure.sleepTime.result(request.id);
  for (const { state, endedBy, error } of refinements) {
    say(`\nrefinement ${state}: ${error?.message ?? endedBy ?? ''}`);
  }
  await showBlocks('After sleep');

  const human = (await perdure.agents.blocks(conscious.id)).find(({ label }) => label === 'human');
  for (const { revision, actor } of human === undefined ? [] : await listRevisions(perdure.db, human.id)) {
    say(`human, revision ${revision}: by ${actor}`);
  }

  async function showBlocks(when: string): Promise<void> {
    say(`\n${when}:`);
    for (const { label, value } of await perdure.agents.blocks(conscious.id)) {
      say(`  ${label}: ${value.replaceAll('\n', '\n    ')}`);
    }
  }
} finally {
  await perdure.close();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
