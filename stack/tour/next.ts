import { commandOf } from '../../adapters/settings/own-modules.js';
import type { Screen } from './screen.js';
import { demoModel } from './tour.js';

/** What is left after the tour. */
export interface Left {
  readonly agentId: string;
  readonly model: string;
  readonly api: string;
  readonly temporalUi?: string;
  readonly namespace: string;
  readonly home: string;
  readonly isUp: boolean;
}

/** Says where everything is, and what to try. */
export function showNext(screen: Screen, left: Left): void {
  screen.line();
  if (!left.isUp) {
    screen.line(`Stopped. All of it is in ${left.home}: ${commandOf('start')} brings the agent back.`);
    return;
  }
  screen.line(`perdure is up; Ctrl-C stops it, and ${commandOf('start')} brings it back with all data.`);
  screen.line(`  API          ${left.api}`);
  screen.line(`  API docs     ${left.api}/docs`);
  if (left.temporalUi !== undefined) {
    screen.line(`  Temporal UI  ${left.temporalUi}`);
    screen.line(`  This agent   ${toTurnsLink(left.temporalUi, left)}`);
  }
  screen.line(`  Data         ${left.home}`);
  screen.line();
  screen.line('Talk to the agent:');
  screen.line(`  curl ${left.api}/v1/agents/${left.agentId}/messages -H 'content-type: application/json' \\`);
  screen.line(`    -d '{"messages": [{"role": "user", "content": "What do you know about me?"}]}'`);
  screen.line();
  screen.line('or with pip install letta-client:');
  screen.line('  from letta_client import Letta');
  screen.line(`  client = Letta(base_url="${left.api}")`);
  screen.line(`  for block in client.agents.blocks.list("${left.agentId}"):`);
  screen.line('      print(block.label, block.value)');
  if (left.model === demoModel) {
    screen.line();
    screen.line(`A real model: OPENAI_API_KEY=… PERDURE_MODEL=openai/gpt-4o-mini ${commandOf('quickstart')}`);
  }
}

/** The page of the Temporal UI that lists the agent's turns: the workflow's id is the agent's. */
function toTurnsLink(temporalUi: string, { namespace, agentId }: Left): string {
  const query = encodeURIComponent(`WorkflowId="${agentId}"`);
  return `${temporalUi}/namespaces/${namespace}/workflows?query=${query}`;
}
