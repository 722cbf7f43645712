import type { Promises } from './requirement.js';

/** What the documents of the issue show and name, beyond what other areas promise. */
export const seeds: Promises = {
  'seeds.memgpt-agents': [
    'Letta’s clients, document 001',
    'The document’s snippets in Python, TypeScript and cURL make agents of both types, which search the web and run code for real.',
  ],
  'seeds.outage-before-accept': [
    'Wire',
    'A request that comes while the database is away answers 503 with a sentence and a time; Letta’s client of its own accord begins one turn.',
  ],
  'seeds.rules': [
    'Letta’s clients 5',
    'Each of the nine tool rules is sent, given back and held in a turn, with both generations of clients: its arguments, the one tool that it leaves, what breaks it.',
  ],
  'seeds.default-approval': [
    'Letta’s clients 5',
    'A tool that asks for approvals by default brings each agent that it is attached to a rule, which can be taken off.',
  ],
  'seeds.agent-types': [
    'Letta’s clients 3',
    'Each agent type that the clients know has its own base tools, its own loop and its own end of a turn.',
  ],
  'seeds.ends': [
    'Letta’s clients 3, document 004',
    'Base tools are left out or removed: an agent with no tool to speak or to end with speaks in plain text, which ends its turn.',
  ],
  'seeds.override': [
    'Letta’s clients 3, document 004',
    'A custom tool may have the name of a base tool: agents that are given it have it in that one’s place, others keep theirs.',
  ],
  'seeds.client-skills': [
    'Letta’s clients 2',
    'An agent is told of the skills that its client brings, in the turn that brings them.',
  ],
};
