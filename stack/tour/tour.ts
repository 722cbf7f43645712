import { type TourApi, TourError } from './api.js';
import type { TourFacts } from './facts.js';
import { interruptTurn, type InterruptedTurn, type Victim } from './kill.js';
import { checkRemains, findFacts, type Remains } from './proof.js';
import { cut, type Screen } from './screen.js';
import type { ShownAgent, ShownMessage } from './shapes.js';
import { describeCall, showTurn, type ShownTurn } from './show-turn.js';

export interface TourDeps {
  readonly api: TourApi;
  readonly screen: Screen;
  /** The worker that is killed in the middle of a turn. */
  readonly worker: Victim;
  /** The handle of the agent's model. */
  readonly model: string;
  readonly facts: TourFacts;
}

/** The built-in model, which needs no key. */
export const demoModel = 'perdure/demo';

/**
 * Shows the main job over the REST API: an agent that edits its memory, is killed in the middle of a turn and finishes
 * it. Returns the agent's id. Throws TourError where a turn fails or something was lost or repeated.
 */
export async function runTour(deps: TourDeps): Promise<string> {
  const agent = await createAgent(deps);
  const turns: ShownTurn[] = [];
  turns.push(await tellFacts(deps, agent));
  turns.push(...(await useArchive(deps, agent)));
  const interrupted = await killInTheMiddle(deps, agent);
  turns.push(interrupted);
  const remains = await readRemains(deps, agent, turns);
  const isSound = prove(deps, interrupted, remains);
  showMemory(deps, remains);
  if (!isSound) {
    throw new TourError(
      `Something was lost or repeated: please report it, with the data directory's logs. The agent is ${agent.id}.`,
    );
  }
  return agent.id;
}

async function createAgent({ api, screen, model }: TourDeps): Promise<ShownAgent> {
  screen.act('An agent', 'POST /v1/agents: its core memory is two blocks, always in its context window');
  const earlier = await api.countAgents();
  if (earlier > 0) {
    screen.aside(
      `This data directory holds ${earlier} ${earlier === 1 ? 'agent' : 'agents'} of earlier runs; this is one more.`,
    );
  }
  const agent = await api.createAgent({
    name: 'tour',
    model,
    memory_blocks: [
      { label: 'human', value: 'Name: not known yet' },
      { label: 'persona', value: 'I keep what I am told, in my own memory, for as long as it takes.' },
    ],
  });
  screen.entry('id', agent.id);
  screen.entry(
    'model',
    model === demoModel ? `${model}: a few rules instead of a model, so that no key is needed` : model,
  );
  for (const { label, value } of agent.blocks) screen.entry(label, value);
  return agent;
}

function tellFacts(deps: TourDeps, agent: ShownAgent): Promise<ShownTurn> {
  const { name, city, work } = deps.facts;
  deps.screen.act(
    'It edits its own memory',
    'POST /v1/agents/…/messages/stream: one turn, several steps; ♥ is the heartbeat that asks for another step',
  );
  const text = `Hello! My name is ${name}. I live in ${city}. I work as ${work}.`;
  return showTurn(deps, { agentId: agent.id, text });
}

async function useArchive(deps: TourDeps, agent: ShownAgent): Promise<ShownTurn[]> {
  const { thing, place } = deps.facts;
  deps.screen.act(
    'Archival memory',
    'What need not be in the context window is stored with an embedding, and found when needed',
  );
  const store = `Please save this in your archival memory: The ${thing} is ${place}.`;
  const stored = await showTurn(deps, { agentId: agent.id, text: store });
  const found = await showTurn(deps, { agentId: agent.id, text: `Where is the ${thing}?` });
  return [stored, found];
}

async function killInTheMiddle(deps: TourDeps, agent: ShownAgent): Promise<InterruptedTurn> {
  const { likes, note } = deps.facts;
  deps.screen.act(
    'kill -9 in the middle of a turn',
    'The worker is killed as soon as the first tool result is seen on the stream',
  );
  const told = likes.map((like) => `I love ${like}.`).join(' ');
  const text = `${told}\nPlease save this in your archival memory: ${note}.`;
  return interruptTurn(deps, { agentId: agent.id, text });
}

async function readRemains(
  { api }: TourDeps,
  agent: ShownAgent,
  turns: readonly ShownTurn[],
): Promise<Remains> {
  return {
    blocks: await api.blocks(agent.id),
    passages: await api.passages(agent.id),
    turns: await Promise.all(
      turns.map(async ({ runId, messages }) => ({
        streamed: messages,
        stored: await api.runMessages(runId),
      })),
    ),
  };
}

function prove({ screen, model, facts }: TourDeps, turn: InterruptedTurn, remains: Remains): boolean {
  screen.act(
    'Nothing lost, nothing repeated',
    `GET /v1/runs/${turn.runId}/messages, blocks and passages, read back`,
  );
  screen.table(['step', 'call', 'result', 'seen'], toRows(turn));
  screen.line();
  if (turn.seenBefore === undefined) {
    screen.bad(
      'the model called no tool in that turn, so nothing was killed: run it again, or with another model',
    );
  } else if (!turn.wasRunning) {
    screen.bad('the turn had ended before the kill reached its worker: run it again');
  }
  const checks = checkRemains(remains);
  for (const { claim, holds } of checks) screen[holds ? 'good' : 'bad'](claim);
  const found = findFacts(facts, remains);
  const once = found.filter(({ times }) => times === 1);
  const isComplete = once.length === found.length;
  if (isComplete) screen.good(`${found.length} facts were told, and each is in memory once`);
  for (const { fact, place, times } of found.filter((one) => one.times !== 1)) {
    screen.bad(
      `“${fact}” is ${times} times in ${place}${model === demoModel ? '' : ', by decision of the model'}`,
    );
  }
  return checks.every(({ holds }) => holds) && (isComplete || model !== demoModel);
}

/** The calls of the interrupted turn, by step, with what came of each. */
function toRows({ messages, seenBefore }: InterruptedTurn): string[][] {
  const steps = [...new Set(messages.map(({ step_id: step }) => step))];
  return messages.flatMap((message) => {
    const step = String(steps.indexOf(message.step_id) + 1);
    if (message.message_type === 'assistant_message') {
      return [
        [step, `answer: ${cut(message.content, 60)}`, '', seenOf(messages.indexOf(message), seenBefore)],
      ];
    }
    if (message.message_type !== 'tool_call_message') return [];
    return message.tool_calls.map((call) => {
      const at = messages.findIndex((one) => isResultOf(one, call.tool_call_id));
      const result = messages[at];
      const status = result?.message_type === 'tool_return_message' ? result.status : 'none';
      return [step, cut(describeCall(call), 68), status, seenOf(at, seenBefore)];
    });
  });
}

function isResultOf(message: ShownMessage, callId: string): boolean {
  return message.message_type === 'tool_return_message' && message.tool_call_id === callId;
}

function seenOf(index: number, seenBefore: number | undefined): string {
  if (seenBefore === undefined) return '';
  return index < seenBefore ? 'before kill -9' : 'after it';
}

function showMemory({ screen }: TourDeps, { blocks, passages }: Remains): void {
  screen.act('Its memory', 'GET /v1/agents/…/core-memory/blocks and /archival-memory');
  const inBlocks = blocks.flatMap(({ label, value, limit, revision }) =>
    value
      .split('\n')
      .map((text, line) => [
        line === 0 ? label : '',
        line === 0 ? String(revision) : '',
        line === 0 ? `${Array.from(value).length} of ${limit}` : '',
        text,
      ]),
  );
  const inArchive = passages.map(({ text }, index) => [index === 0 ? 'archival' : '', '', '', text]);
  screen.table(['block', 'revision', 'characters', 'text'], [...inBlocks, ...inArchive]);
}
