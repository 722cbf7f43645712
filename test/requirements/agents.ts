import type { Promises } from './requirement.js';

const conversations: Promises = {
  'conversation.own-line': [
    'Issue 4.7',
    'Conversations of one agent run side by side, each with its own queue, and see nothing of each other’s messages.',
  ],
  'conversation.shared-memory': [
    'Issue 4.7',
    'An edit of a block in one conversation reaches the others, and recall finds what was said in any.',
  ],
  'conversation.own-model': ['Issue 4.7', 'A conversation may have another model than its agent.'],
  'conversation.crud': [
    'Issue 4.7',
    'Conversations are created, listed by pages, changed, archived and deleted.',
  ],
  'conversation.fork': [
    'Issue 4.7',
    'A fork begins with what the other has in context, up to a message, without half a tool call; then each goes its way.',
  ],
  'conversation.default': ['Issue 4.7', '`default` with an agent’s id stands for its default thread.'],
  'conversation.stream': [
    'Issue 4.7',
    'A conversation’s stream is resumed by its newest run, a run’s id or an otid.',
  ],
  'conversation.delete': [
    'Issue 4.7',
    'A deleted conversation is gone with its messages; what ran in it is cancelled first.',
  ],
};

const calls: Promises = {
  'agents.ask': [
    'Issue 4.7',
    'An agent asks another and reads what it said; the answer commits with the other’s turn.',
  ],
  'agents.ask-any-end': [
    'Issue 4.7',
    'However the other’s turn ends, or if there is no such agent, the asking one hears of it.',
  ],
  'agents.ask-deadline': [
    'Issue 4.7',
    'An agent waits for another no longer than a deadline; a late answer changes nothing.',
  ],
  'agents.ask-cancel': [
    'Issue 4.7',
    'A turn that waits for another agent is cancelled at once; the other goes on.',
  ],
  'agents.cycle': [
    'Issue 4.7',
    'The call that would make agents wait for each other is a tool error instead.',
  ],
  'agents.lost-reply': ['Issue 4.7', 'An answer whose signal was lost is delivered by the sweep.'],
  'agents.tell': ['Issue 4.7', 'An agent tells another something without waiting, once.'],
  'agents.tags': ['Issue 4.7', 'An agent asks all agents with certain tags at once, hundreds if need be.'],
  'agents.crowd-killed': [
    'Issue 4.7',
    'Hundreds of agents that are asked at once answer once each, also where workers are killed meanwhile.',
  ],
  'agents.seed': [
    'Issue 4.1',
    'The recruiting workflow of the documents runs as it stands, also with kill -9 of the worker in the middle.',
  ],
  'agents.clients': ['Issue 4.2', 'Official clients converse, approve and edit as their own documents say.'],
  'agents.killed': [
    'Shown',
    'A worker killed at any point of a call between agents leaves the same end as none killed.',
  ],
};

const approvals: Promises = {
  'approval.waits': [
    'Issue 4.5',
    'A call that needs an approval ends the turn and waits as a row: no execution stays open, and a restart changes nothing.',
  ],
  'approval.run-deleted': [
    'Issue 9, time',
    'A run whose calls were approved in a later one can be deleted: they are run, and stay known.',
  ],
  'approval.approve': [
    'Issue 4.5',
    'An approved call is run in the approval’s turn, and the agent goes on as its rules say.',
  ],
  'approval.deny': [
    'Issue 4.5',
    'A denied call is told to the model with the reason, and it gets another step.',
  ],
  'approval.client-tool': [
    'Issue 4.5',
    'A tool that the client brings waits for what the client says that it returned.',
  ],
  'approval.images': [
    'Issue 10.3',
    'Images that a client’s tool returned reach the model behind the results, and are listed, exported and imported as they came.',
  ],
  'approval.partial': [
    'Issue 4.5',
    'Of several calls some may be decided first; the turn goes on when all are.',
  ],
  'approval.repeated': [
    'Issue 4.5',
    'A repeated approval gives the turn of the first; nothing is run twice. Where that turn was broken off, the agent goes on from its results.',
  ],
  'approval.unknown': ['Issue 4.5', 'An approval of calls that do not wait is refused, and says which do.'],
  'approval.queue': [
    'Issue 4.5',
    'Other messages wait behind the decision, in order, without waking anything meanwhile.',
  ],
  'approval.cancel': [
    'Issue 4.5',
    'Cancelling gives up calls that wait, with a result each, and the queue moves on.',
  ],
  'approval.wire': [
    'Issue 4.5',
    'Requests and answers about approvals are shown as Letta’s clients read them.',
  ],
  'approval.setting': [
    'Issue 4.5',
    'Whether an agent’s tool needs an approval is set by a rule or by its own route.',
  ],
  'turn.override': ['Issue 4.2', 'A request may set another model or other instructions for its turn alone.'],
};

const chores: Promises = {
  'agents.compaction': [
    'Issue 10.3',
    'An agent’s compaction_settings, and those of one request over them, say who summarises, by which instructions, how long, and how much stays.',
  ],
  'agents.autoclear': [
    'Issue 10.3',
    'An agent with message_buffer_autoclear begins each turn without what was said before; calls that wait for a decision stay.',
  ],
  'messages.compact': [
    'Issue 4.7',
    'What a thread has in context is summarised when asked for, after the turns before it.',
  ],
  'messages.reset': [
    'Issue 4.7',
    'A reset forgets a thread’s messages, summary and waiting calls; memory, and what waits in the queue, stay.',
  ],
  'messages.edit': ['Issue 4.7', 'A message is edited between turns, for the model and for searches alike.'],
};

export const agents: Promises = {
  ...chores,
  ...conversations,
  ...calls,
  ...approvals,
};
