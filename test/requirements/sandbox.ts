import type { Promises } from './requirement.js';

/** Custom tools: their schemas, how they run, and what they cannot do. */
export const sandbox: Promises = {
  'tools.schema': [
    'Clients 4',
    'A Python tool’s name, description and JSON schema are read from its signature and Google-style docstring, without running it.',
  ],
  'tools.schema-faults': [
    'Bad input',
    'Source that does not parse, has no docstring or an unsupported annotation is refused with 400 and a sentence that says what to change.',
  ],
  'tools.hostile-schemas': [
    'Bad input',
    'Any schema of a tool, a client or an MCP server is read and applied in isolation, within bounds of time, size and depth, whatever patterns, references, names and lists it contains.',
  ],
  'tools.own-schema': ['Clients 4', 'A JSON schema from the author replaces the one from the signature.'],
  'tools.letta-json': [
    'Issue 10, strangers',
    'A tool that Letta returned with the source type `json` can be created with its schema, as Python.',
  ],
  'tools.upsert': [
    'Clients 4',
    'A tool is created, changed and deleted over REST; an upsert by name keeps its id, its agents and all fields that are not given.',
  ],
  'tools.run': [
    'Clients 4',
    'A Python tool runs with `agent_state`, the agent’s variables and its ids; the model reads what it returns, its output is kept for people, and its errors are worded as in Letta.',
  ],
  'tools.call-back': [
    'Clients 4',
    'A running tool reaches this server’s API, and nothing else, at localhost:8283, whatever the server’s address; it writes a block on the revision that it read, and cannot wait for the agent that waits for it.',
  ],
  'tools.memory': [
    'Memory',
    'A tool’s changes of `agent_state` commit with its result, on the value of that moment; what does not fit is reported, and nothing is lost.',
  ],
  'tools.packages': [
    'Clients 4',
    'Packages that a tool lists, and Letta’s client if it imports it, are installed once, from wheels only; if that fails, the model reads why.',
  ],
  'tools.attacks': [
    'Bad input',
    'An endless loop, 2 GB of memory, a fork bomb, reads of the machine’s files, other connections, endless output and files, empty ones, open ones, signals to others, and system calls that make namespaces, mounts or memory beside files end in a clear error; nothing is left behind.',
  ],
  'tools.memory-counted': [
    'Bad input',
    'Where control groups are available, the kernel counts and limits the memory of a tool and of its files; elsewhere perdure watches it.',
  ],
  'tools.dies-with-worker': ['Rule: effects', 'A tool whose worker is killed is killed too.'],
  'tools.unknown-outcome': [
    'Rule: effects',
    'A tool whose outcome is unknown after a crash is not run again unless its author tagged it idempotent; the model reads that the outcome is unknown.',
  ],
  'tools.strangers': [
    'Bad input',
    'A server that can be reached without a password accepts no tool source, unless tools run isolated or not at all.',
  ],
  'tools.seed-script': [
    'Clients 1',
    'The document’s tools work unchanged: one reads `agent_state`, two keep a queue of tasks through Letta’s client.',
  ],
  'tools.token': [
    'Clients 4',
    'A running tool has a token of its own, which expires with it; its writes are attributed to the tool, its turn and its call.',
  ],
  'tools.scope': [
    'Bad input',
    'A running tool gets a 403 when it registers MCP servers, sends source, runs or hands on tools that need an approval, or decides on approvals, rules or secrets.',
  ],
  'tools.reach': [
    'Bad input',
    'On every route a running tool gets a 403 when it writes to an agent that its own agent does not manage, or to what only that agent has, or sets a callback address. No response to it contains a secret or a variable’s value.',
  ],
  'tools.code-scope': [
    'Bad input',
    'Code that a model wrote has no secrets in its environment or in `agent_state`, and reaches on the server only what it may read of its agent, and the agent’s tools.',
  ],
  'tools.typescript': [
    'Clients 4',
    'A TypeScript tool with its own JSON schema runs in the same sandbox, within the same limits.',
  ],
  'tools.run-code': [
    'Clients 4',
    '`run_code` runs Python, JavaScript and TypeScript in the sandbox, without any connection, and returns the last value, the output and the error.',
  ],
  'tools.run-rest': [
    'Clients 4',
    'Over REST a tool can be tried from its source, and an agent’s tool can be run outside of a turn.',
  ],
  'tools.search': [
    'Clients 2',
    'Tools are found by the words and the meaning of their names and descriptions, filtered by types and tags.',
  ],
  'tools.clients': ['Clients 2', 'Each official client creates, changes, runs and deletes custom tools.'],
};
