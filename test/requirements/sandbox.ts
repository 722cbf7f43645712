import type { Promises } from './requirement.js';

/** Custom tools: their schemas, how they run, and what they can't do. */
export const sandbox: Promises = {
  'tools.schema': [
    'Clients 4',
    'A Python tool’s name, description and JSON schema are read from signature and Google-style docstring, without running any of it.',
  ],
  'tools.schema-faults': [
    'Bad input',
    'Source that does not parse, has no docstring or an unsupported annotation is refused with 400 and a sentence that says what to change.',
  ],
  'tools.hostile-schemas': [
    'Bad input',
    'A schema of a tool, a client or an MCP server is read and checked against in a bounded time, size and depth, apart from all else, whatever it says: patterns, references, names and lists of any kind.',
  ],
  'tools.own-schema': ['Clients 4', 'A JSON schema that the author gives takes the place of the signature.'],
  'tools.letta-json': [
    'Issue 10, strangers',
    'A tool that Letta gave back with the source type `json` can be created here with its schema, as Python.',
  ],
  'tools.upsert': [
    'Clients 4',
    'A tool is made, changed and deleted over REST; an upsert by name keeps its id, its agents and what is not given.',
  ],
  'tools.run': [
    'Clients 4',
    'A Python tool is run with `agent_state`, the agent’s variables and its ids; what it returns is shown to the model, what it writes is kept for people, and its errors are told in Letta’s words.',
  ],
  'tools.call-back': [
    'Clients 4',
    'A running tool reaches this server at localhost:8283 whatever its address is, nothing else of it but its API, writes a block on the revision that it read, and can’t wait for the agent that waits for it.',
  ],
  'tools.memory': [
    'Memory',
    'What a tool changes in `agent_state` commits with its result, on the value as it is then; what does not fit is told and nothing is lost.',
  ],
  'tools.packages': [
    'Clients 4',
    'Packages that a tool lists, and Letta’s client where it imports it, are installed once, from wheels alone; where they can’t be had the model is told.',
  ],
  'tools.attacks': [
    'Bad input',
    'An endless loop, 2 GB of memory, a fork bomb, reads of the machine’s files, other connections, endless output and files, empty ones, open ones, signals to others, and system calls that make namespaces, mounts or memory beside files end in a clear error; nothing is left behind.',
  ],
  'tools.memory-counted': [
    'Bad input',
    'Where control groups may be made, the kernel counts and bounds the memory of a tool and of its files; elsewhere it is watched.',
  ],
  'tools.dies-with-worker': ['Rule: effects', 'A tool whose worker is killed is killed too.'],
  'tools.unknown-outcome': [
    'Rule: effects',
    'A tool whose outcome a crash hid is not run again unless its author tagged it idempotent; the model is told that the outcome is unknown.',
  ],
  'tools.strangers': [
    'Bad input',
    'A server that strangers reach without a password takes no tool’s source, unless tools run isolated or not at all.',
  ],
  'tools.seed-script': [
    'Clients 1',
    'The document’s tools work as they are: one reads `agent_state`, two keep a queue of tasks through Letta’s client.',
  ],
  'tools.token': [
    'Clients 4',
    'A running tool is let in by a token of its own, which ends with it; what it writes is attributed to it, its turn and its call.',
  ],
  'tools.scope': [
    'Bad input',
    'A running tool can’t register MCP servers, send source, run or hand on tools whose calls wait for an approval, decide over approvals, rules and secrets; it is told so by 403.',
  ],
  'tools.reach': [
    'Bad input',
    'By no route a running tool writes to an agent that its own does not manage, to what is that agent’s alone, or has an address called back; it is told so by 403. No answer that it gets holds a secret or a variable’s value.',
  ],
  'tools.code-scope': [
    'Bad input',
    'Code that a model wrote finds no secrets, neither in its environment nor in `agent_state`, and reaches of the server what it may read of its agent and the agent’s tools.',
  ],
  'tools.typescript': [
    'Clients 4',
    'A TypeScript tool with a JSON schema of its own runs in the same sandbox, within the same limits.',
  ],
  'tools.run-code': [
    'Clients 4',
    '`run_code` runs Python, JavaScript and TypeScript in the sandbox, reaches nothing, and returns the last value, what was printed, and the error.',
  ],
  'tools.run-rest': [
    'Clients 4',
    'A tool can be tried from its source, and an agent’s tool be run outside of a turn, over REST.',
  ],
  'tools.search': [
    'Clients 2',
    'Tools are found by the words and the meaning of their names and descriptions, within types and tags.',
  ],
  'tools.clients': ['Clients 2', 'Each official client makes, changes, runs and deletes custom tools.'],
};
