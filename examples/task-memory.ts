/**
 * Task memory: a block of open tasks that an agent works down over scheduled turns, one task a turn.
 *
 *   PERDURE_MODEL=openai/gpt-4o-mini npx tsx examples/task-memory.ts "water the bees" "write to Mina"
 *
 * Needs a running stack (npm start in another terminal, or DATABASE_URL and TEMPORAL_ADDRESS) and a model that calls tools.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '../client/connect.js';
import { requireModel } from './require-model.js';

const tasks = process.argv.slice(2);
if (tasks.length === 0) tasks.push('greet the user', 'plan the week');

requireModel();
const perdure = await connect();
try {
  const agent = await perdure.agents.create({
    name: 'worker',
    blocks: [
      { label: 'persona', value: 'I work down my tasks, one at a time, and keep the list current.' },
      {
        label: 'tasks',
        value: tasks.map((task) => `[ ] ${task}`).join('\n'),
        description:
          'Your tasks, one a line: "[ ]" is open, "[x]" is done. Mark a task when you have done it.',
      },
    ],
  });

  const schedule = await perdure.schedules.scheduleMessages({
    agentId: agent.id,
    messages: [
      { role: 'system', content: 'Do the next open task of your tasks block, then mark it as done.' },
    ],
    timing: {
      kind: 'cron',
      cron: '0 * * * *',
      timezone: 'UTC',
      jitterMs: 0,
      // The next hour waits for a turn that takes long, and no more than one does.
      overlap: 'buffer_one',
      catchupMs: 600_000,
    },
  });
  const { report } = await perdure.schedules.describe(schedule.id);
  say(`${schedule.id}, next at ${report?.nextTimes[0]?.toISOString() ?? 'an unknown time'}`);

  // By itself it happens every hour; here an hour takes as long as a turn.
  let open = await openTasks();
  while (open > 0) {
    await perdure.schedules.trigger(schedule.id);
    const before = open;
    for (let waited = 0; open === before && waited < 60; waited += 1) {
      await delay(500);
      open = await openTasks();
    }
    if (open === before) throw new Error('No task was done within half a minute.');
    say(`\n${open} open:\n${await tasksBlock()}`);
    // Temporal knows a time of a schedule by its second.
    await delay(1_000);
  }
  await perdure.schedules.delete(schedule.id);

  async function tasksBlock(): Promise<string> {
    return (await perdure.agents.blocks(agent.id)).find(({ label }) => label === 'tasks')?.value ?? '';
  }

  async function openTasks(): Promise<number> {
    return (await tasksBlock()).split('\n').filter((line) => line.startsWith('[ ]')).length;
  }
} finally {
  await perdure.close();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
