import type { Promises } from './requirement.js';

/** How other programs use agents: MCP, the AI SDK, AG-UI, and messages to a busy agent. */
export const programs: Promises = {
  'mcp-server.talk': [
    'Programs',
    'An MCP client finds agents and gets an agent’s answer from a tool call, as text and as fields.',
  ],
  'mcp-server.talk-busy': [
    'Programs',
    'When a turn takes longer than the caller waits, the result says so; a call with the same key waits for the same turn, and nothing is sent twice.',
  ],
  'mcp-server.talk-ends': [
    'Programs',
    'A turn that was cancelled, failed or needs an approval is reported as such, never as an answer.',
  ],
  'mcp-server.memory': [
    'Programs',
    'Blocks are listed, read and edited by append and replace, under the rules of their revisions; a repeated key changes nothing.',
  ],
  'mcp-server.search': [
    'Programs',
    'Archival memory and the conversation are searched by words and meaning; a passage with a key is stored once.',
  ],
  'mcp-server.wrong-input': ['Bad input', 'A wrong call over MCP returns an error that says what is wrong.'],
  'mcp-server.guards': [
    'Wire, guards',
    '`/mcp` requires the password, refuses pages of other sites and running tools, and keeps no sessions.',
  ],
  'mcp-server.leaving': [
    'Programs',
    'A client that leaves, or a server that stops, ends only the wait: the turn continues, and the key finds its answer.',
  ],
  'mcp-server.agent-as-memory': [
    'Programs',
    'An agent with this server’s MCP tools reads and writes another agent’s memory.',
  ],
  'mcp-server.example': ['Programs', 'The example for MCP runs unchanged.'],
  'ai-sdk.stream': [
    'Programs',
    'The AI SDK’s own transport and reader, of versions 5 and 6, read a turn as a message with steps, reasoning, calls, results and words.',
  ],
  'ai-sdk.resume': [
    'Programs',
    'A chat whose connection was lost, or whose server stopped, resumes the stream and shows no word twice; when nothing runs, it gets 204.',
  ],
  'ai-sdk.once': [
    'Programs',
    'A chat’s message is sent once, however often it is posted; only the last message of the history is read.',
  ],
  'ai-sdk.approvals': [
    'Programs',
    'The page asks for the approval of a waiting call, and the answer continues in the same message.',
  ],
  'ai-sdk.ends': ['Programs', 'A failed turn is an error on the page, a cancelled one an abort.'],
  'ai-sdk.void': [
    'Programs',
    'The words of an interrupted answer are marked as void, and its calls end as errors.',
  ],
  'ai-sdk.wrong-input': [
    'Bad input',
    'A chat’s request that cannot be served gets a 4xx that says what to do.',
  ],
  'ai-sdk.letta-provider': ['Programs', 'Letta’s provider package for the AI SDK works unchanged.'],
  'ai-sdk.example': ['Programs', 'The example for the AI SDK runs unchanged.'],
  'turn.when-busy-steer': [
    'Programs',
    'Over REST a message with `when_busy: steer` enters the running turn before its next model call; its answer and its stream contain what is said from then on.',
  ],
  'turn.when-busy-interrupt': [
    'Programs',
    'A message with `when_busy: interrupt` ends the running turn and no other; repeated with its key, it ends nothing more.',
  ],
  'turn.when-busy-idle': [
    'Programs',
    'When nothing runs, a message gets a turn of its own with every `when_busy`; a steer that comes too late enters the next turn; without the field messages wait, as in Letta.',
  ],
  'turn.when-busy-input': [
    'Bad input',
    'An unknown or unsupported `when_busy` gets a 422 that says so, and nothing is stored.',
  ],
  'turn.when-busy-told': [
    'Programs',
    'When the interrupted execution could not be signalled, the repeated send signals it; its writes are refused in any case.',
  ],
  'ag-ui.run': [
    'Programs',
    'AG-UI’s own client reads a turn as its events, in an order that it accepts; a message is sent once.',
  ],
  'ag-ui.interrupts': [
    'Programs',
    'Waiting calls are interrupts of AG-UI, and a resumed run brings the answers.',
  ],
  'ag-ui.ends': ['Programs', 'A cancelled turn is a cancelled run of AG-UI, a failed one an error.'],
  'ag-ui.wrong-input': [
    'Bad input',
    'A run’s request that cannot be served gets a 4xx that says what to do.',
  ],
  'ag-ui.example': ['Programs', 'The example for AG-UI runs unchanged.'],
};
