import type { Context } from '../command-context.js';
import { CommandFailure } from '../failure.js';
import { createTurnLines, renderCall, callsOf } from '../render/turn-lines.js';
import type { WireAgent, WireRun } from '../shapes.js';
import { readTurn, type TurnEvent, type TurnSource, type WireCall } from '../turn-stream.js';
import { watchMemory } from './memory-changes.js';
import { runSlash } from './slash.js';
import type { Chat } from './talk.js';

/** Talks with the agent until the input ends. */
export async function chat(context: Context, agent: WireAgent): Promise<void> {
  const { terminal, paint, rest } = context;
  const input = terminal.openInput();
  const talk: Chat = { context, input, agent, memory: await watchMemory(context, agent.id) };
  terminal.write(
    `${paint.bold(agent.name)} ${paint.dim(`${agent.model ?? ''} · ${rest.server.url} · /help`)}\n`,
  );
  try {
    await takeUp(talk);
    for (;;) {
      const line = (await input.next(`${paint.bold('you')}  `))?.trim();
      if (line === undefined) break;
      if (line === '') continue;
      if (line === '/quit' || line === '/exit') break;
      await (line.startsWith('/') ? runSlash(talk, line) : say(talk, line)).catch((error: unknown) => {
        // One refusal does not end the talk.
        if (!(error instanceof CommandFailure)) throw error;
        terminal.tell(`${paint.red(error.message)}\n`);
      });
    }
  } finally {
    input.close();
  }
}

/** What goes on already: a turn that runs is followed, calls that wait are decided about. */
async function takeUp(talk: Chat): Promise<void> {
  const { rest } = talk.context;
  const [running] = await rest.get<WireRun[]>('/v1/runs', {
    agent_id: talk.agent.id,
    active: true,
    limit: 1,
  });
  if (running !== undefined) {
    talk.context.terminal.write(talk.context.paint.dim('A turn is running. This is how it goes on:\n'));
    await follow(talk, { runId: running.id });
    return;
  }
  const messages = await rest.get<TurnEvent[]>(`/v1/agents/${talk.agent.id}/messages`, {
    limit: 5,
    order: 'desc',
  });
  const [newest] = messages;
  if (newest?.message_type !== 'approval_request_message') return;
  await decide(talk, callsOf(newest));
}

async function say(talk: Chat, text: string): Promise<void> {
  await follow(talk, { agentId: talk.agent.id, messages: [{ role: 'user', content: text }] });
}

/** Shows a turn to its end, and those that decisions about its calls begin. */
async function follow(talk: Chat, source: TurnSource): Promise<void> {
  const waiting = await show(talk, source);
  if (waiting.length > 0) await decide(talk, waiting);
}

async function decide(talk: Chat, calls: readonly WireCall[]): Promise<void> {
  const { context, input, agent } = talk;
  const approvals: object[] = [];
  for (const call of calls) {
    context.terminal.write(`${context.paint.yellow('?')} ${renderCall(call, context.paint)}\n`);
    const answer = (await input.next('   run it? y, n, or why not: '))?.trim();
    // The end of the input decides nothing: the call goes on waiting.
    if (answer === undefined) return;
    const isYes = /^y(es)?$/i.test(answer);
    const reason = isYes || /^(no?)?$/i.test(answer) ? undefined : answer;
    approvals.push({ type: 'approval', tool_call_id: call.tool_call_id, approve: isYes, reason });
  }
  await follow(talk, { agentId: agent.id, messages: [{ type: 'approval', approvals }] });
}

/** Shows a turn; returns its calls that wait for a decision. Ctrl-C cancels the turn. */
async function show(
  { context, input, agent, memory }: Chat,
  source: TurnSource,
): Promise<readonly WireCall[]> {
  const { rest, terminal, paint } = context;
  const lines = createTurnLines(paint, { agent: agent.name });
  const asked = new Map<string, WireCall>();
  let runId = 'runId' in source ? source.runId : undefined;
  let stopReason: string | undefined;
  const aside = (text: readonly string[]): void => {
    if (text.length > 0) terminal.write(lines.aside(text));
  };
  input.onInterrupt(() => {
    aside([paint.yellow('Cancelling the turn …')]);
    void rest
      .send(
        'POST',
        `/v1/agents/${agent.id}/messages/cancel`,
        runId === undefined ? undefined : { run_ids: [runId] },
      )
      .catch((error: unknown) => {
        terminal.tell(`${(error as Error).message}\n`);
      });
  });
  const onConnection = (state: 'lost' | 'back'): void => {
    aside([
      state === 'lost'
        ? paint.yellow('The connection is lost. The turn goes on; waiting for the server …')
        : paint.green('The connection is back.'),
    ]);
  };
  try {
    for await (const event of readTurn(rest, source, { onConnection })) {
      runId = event.run_id ?? runId;
      stopReason = event.stop_reason ?? stopReason;
      if (event.message_type === 'approval_request_message') collect(asked, event);
      else terminal.write(lines.show(event));
      if (event.message_type === 'tool_return_message') aside(await memory.next());
    }
    terminal.write(lines.end());
    aside(await memory.next());
  } finally {
    input.onInterrupt(undefined);
  }
  return stopReason === 'requires_approval' ? [...asked.values()] : [];
}

function collect(asked: Map<string, WireCall>, event: TurnEvent): void {
  for (const call of callsOf(event)) {
    const id = call.tool_call_id ?? '';
    const before = asked.get(id);
    asked.set(id, {
      tool_call_id: id,
      name: `${before?.name ?? ''}${call.name ?? ''}`,
      arguments: `${before?.arguments ?? ''}${call.arguments ?? ''}`,
    });
  }
}
