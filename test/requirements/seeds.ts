import type { Promises } from './requirement.js';

/** What the documents of the issue show and name, beyond the promises of other areas. */
export const seeds: Promises = {
  'seeds.memgpt-agents': [
    'Letta’s clients, document 001',
    'The document’s snippets in Python, TypeScript and cURL create agents of both types, which really search the web and run code.',
  ],
  'seeds.outage-before-accept': [
    'Wire',
    'A request during an outage of the database gets a 503 with a sentence and a time; the retries of Letta’s client begin one turn.',
  ],
  'seeds.rules': [
    'Letta’s clients 5',
    'Each of the nine tool rules is accepted, returned and enforced in a turn, with both generations of clients: its arguments, the one tool that it leaves, calls that break it.',
  ],
  'seeds.default-approval': [
    'Letta’s clients 5',
    'A tool that requires approvals by default adds a rule to each agent that it is attached to; the rule can be removed.',
  ],
  'seeds.agent-types': [
    'Letta’s clients 3',
    'Each agent type of the clients has its own base tools, its own loop and its own end of a turn.',
  ],
  'seeds.ends': [
    'Letta’s clients 3, document 004',
    'Base tools can be left out or removed: an agent without a tool to speak with or to end a turn with speaks in plain text, which ends its turn.',
  ],
  'seeds.override': [
    'Letta’s clients 3, document 004',
    'A custom tool can have the name of a base tool: it replaces the base tool of the agents that it is attached to, and of no others.',
  ],
  'seeds.client-skills': [
    'Letta’s clients 2',
    'The instructions of an agent list the skills that its client sends, in the turn that sends them.',
  ],
};
