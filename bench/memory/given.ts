import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack.js';
import { post } from '../api.js';

/** Notes whether a promise was kept: the process ends with an error where one was not. */
export function promised(isKept: boolean): void {
  if (!isKept) process.exitCode = 1;
}

/** An agent of the bench. Returns its id. */
export async function anAgent(
  stack: Pick<Stack, 'api'>,
  fields: { readonly model: string; readonly [field: string]: unknown },
): Promise<string> {
  const { id } = await post<{ id: string }>(stack, '/v1/agents/', {
    agent_type: 'memgpt_agent',
    embedding: 'openai/bench',
    context_window_limit: 128_000,
    memory_blocks: [
      { label: 'human', value: 'Their name is Sid.', limit: 100_000 },
      { label: 'persona', value: 'My name is Sam.' },
    ],
    ...fields,
  });
  return id;
}

/** What a turn said, and how it ended; `failed` where the API answered no turn. */
export interface Told {
  readonly said: string;
  readonly end: string;
}

/** Says something to an agent and waits for the turn's end, however it ends. */
export async function tell(stack: Pick<Stack, 'api'>, agentId: string, text: string): Promise<Told> {
  const answer = await post<{
    messages: { message_type: string; content?: unknown }[];
    stop_reason: { stop_reason: string };
  }>(stack, `/v1/agents/${agentId}/messages`, {
    messages: [{ role: 'user', content: text }],
  });
  const said = answer.messages.filter(({ message_type: type }) => type === 'assistant_message');
  return { said: said.map(({ content }) => String(content)).join('\n'), end: answer.stop_reason.stop_reason };
}

/** Work in the course of which workers are killed. */
export interface Killing {
  /** How much of it is done, of how much. */
  readonly done: () => number | Promise<number>;
  readonly of: number;
  readonly kills: number;
}

/** Killed sooner after its start, a worker is taken for a broken one, and started again later and later. */
const healthyAfterMs = 5_500;

/** Kills the stack's worker so many times, spread evenly over the work. Returns what came of it, and the kills. */
export async function whileKilling<T>(
  { worker }: Pick<Stack, 'worker'>,
  { done, of, kills }: Killing,
  work: Promise<T>,
): Promise<{ readonly result: T; readonly kills: number }> {
  const state = { killed: 0, isOver: false };
  const ending = work.finally(() => (state.isOver = true));
  // A failure is the caller's, below; here it only ends the killing.
  ending.catch(() => undefined);
  while (state.killed < kills && !state.isOver) {
    const due = ((state.killed + 1) * of) / (kills + 1);
    await delay(100);
    if ((await done()) < due) continue;
    worker.kill('SIGKILL');
    state.killed += 1;
    await worker.whenReady();
    await delay(healthyAfterMs);
  }
  return { result: await ending, kills: state.killed };
}
