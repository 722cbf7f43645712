import type { Promises } from './requirement.js';

/** Where other programs meet agents: MCP, the AI SDK, and messages to a busy agent. */
export const programs: Promises = {
  'mcp-server.talk': [
    'Programs',
    'An MCP client finds agents and gets an agent’s answer by a tool call, as text and as fields.',
  ],
  'mcp-server.talk-busy': [
    'Programs',
    'Where a turn takes longer than the caller waits, the result says so; the same key waits on for the same turn, and nothing is sent twice.',
  ],
  'mcp-server.talk-ends': [
    'Programs',
    'A turn that was cancelled, failed or needs an approval is told as that, never as an answer.',
  ],
  'mcp-server.memory': [
    'Programs',
    'Blocks are listed, read, appended to and replaced in under the rules of their revisions; a repeated key changes nothing.',
  ],
  'mcp-server.search': [
    'Programs',
    'The archive and the conversation are searched by words and meaning; a passage with a key is stored once.',
  ],
  'mcp-server.wrong-input': [
    'Bad input',
    'A call over MCP that is wrong is an error that says what is wrong.',
  ],
  'mcp-server.guards': [
    'Wire, guards',
    '`/mcp` needs the password, refuses pages of other sites and running tools, and keeps no sessions.',
  ],
  'mcp-server.leaving': [
    'Programs',
    'A client that leaves, or a server that stops, ends the wait alone: the turn goes on and its answer is found by the key.',
  ],
  'mcp-server.agent-as-memory': [
    'Programs',
    'An agent that has this server’s tools reads and writes another agent’s memory over MCP.',
  ],
  'mcp-server.example': ['Programs', 'The example for MCP runs as it is.'],
  'ai-sdk.stream': [
    'Programs',
    'The AI SDK’s own transport and reader, of versions 5 and 6, read a turn as a message with steps, reasoning, calls, results and words.',
  ],
  'ai-sdk.resume': [
    'Programs',
    'A chat whose connection was lost, or whose server stopped, resumes the stream and shows no word twice; where nothing runs, it is answered 204.',
  ],
  'ai-sdk.once': [
    'Programs',
    'A chat’s message is sent once however often it is posted; of the history only the last message is read.',
  ],
  'ai-sdk.approvals': [
    'Programs',
    'A call that waits for an approval is asked for on the page, and its answer goes on in the same message.',
  ],
  'ai-sdk.ends': ['Programs', 'A failed turn is an error on the page, a cancelled one is aborted.'],
  'ai-sdk.void': [
    'Programs',
    'Words of an answer that broke off are named as void, and its calls end as errors.',
  ],
  'ai-sdk.wrong-input': ['Bad input', 'A chat’s request that can’t be served is a 4xx that says what to do.'],
  'ai-sdk.letta-provider': ['Programs', 'Letta’s provider package for the AI SDK works as it is.'],
  'ai-sdk.example': ['Programs', 'The example for the AI SDK runs as it is.'],
  'turn.when-busy-steer': [
    'Programs',
    'Over REST a message with `when_busy: steer` enters the running turn before its next model call; its answer and its stream are what is said from then on.',
  ],
  'turn.when-busy-interrupt': [
    'Programs',
    'A message with `when_busy: interrupt` ends the turn that runs, and no other; sent again with its key it ends nothing more.',
  ],
  'turn.when-busy-idle': [
    'Programs',
    'Where nothing runs, each way gets a turn of its own; a steer that comes too late enters the next turn; without the field messages wait, as in Letta.',
  ],
  'turn.when-busy-input': [
    'Bad input',
    'Ways that are unknown or can’t be had are a 422 that says so, and nothing is stored.',
  ],
  'turn.when-busy-told': [
    'Programs',
    'Where the interrupted execution could not be told, the repeated send tells it; its writes are refused either way.',
  ],
  'ag-ui.run': [
    'Programs',
    'AG-UI’s own client reads a turn as its events, in an order that it accepts; a message is sent once.',
  ],
  'ag-ui.interrupts': [
    'Programs',
    'Calls that wait are interrupts of AG-UI, and a resumed run brings the answers.',
  ],
  'ag-ui.ends': ['Programs', 'A cancelled turn is a cancelled run of AG-UI, a failed one an error.'],
  'ag-ui.wrong-input': ['Bad input', 'A run’s request that can’t be served is a 4xx that says what to do.'],
  'ag-ui.example': ['Programs', 'The example for AG-UI runs as it is.'],
};
