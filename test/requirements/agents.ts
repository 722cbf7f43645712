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
  'conversation.own-model': ['Issue 4.7', 'A conversation can use another model than its agent.'],
  'conversation.crud': [
    'Issue 4.7',
    'Conversations are created, listed in pages, changed, archived and deleted.',
  ],
  'conversation.fork': [
    'Issue 4.7',
    'A fork begins with the context of the original up to a message, without incomplete tool calls; then both are independent.',
  ],
  'conversation.default': ['Issue 4.7', '`default` with an agent’s id stands for its default thread.'],
  'conversation.stream': [
    'Issue 4.7',
    'A conversation’s stream is resumed by its newest run, a run’s id or an otid.',
  ],
  'conversation.delete': [
    'Issue 4.7',
    'A conversation is deleted with its messages; its running turn is cancelled first.',
  ],
};

const calls: Promises = {
  'agents.ask': [
    'Issue 4.7',
    'An agent asks another one and reads its reply, which commits with the other agent’s turn.',
  ],
  'agents.ask-any-end': [
    'Issue 4.7',
    'The asking agent learns how the other agent’s turn ended, or that there is no such agent.',
  ],
  'agents.ask-deadline': [
    'Issue 4.7',
    'An agent waits for another no longer than a deadline; a late answer changes nothing.',
  ],
  'agents.ask-cancel': [
    'Issue 4.7',
    'A turn that waits for another agent is cancelled at once; the other agent’s turn continues.',
  ],
  'agents.cycle': [
    'Issue 4.7',
    'The call that would make agents wait for each other is a tool error instead.',
  ],
  'agents.lost-reply': ['Issue 4.7', 'An answer whose signal was lost is delivered by the sweep.'],
  'agents.tell': ['Issue 4.7', 'A message to another agent without waiting is delivered once.'],
  'agents.tags': ['Issue 4.7', 'An agent can ask all agents with certain tags at once, even hundreds.'],
  'agents.crowd-killed': [
    'Issue 4.7',
    'Hundreds of agents that are asked at once answer once each, even when workers are killed meanwhile.',
  ],
  'agents.seed': [
    'Issue 4.1',
    'The recruiting workflow of the documents runs unchanged, even with kill -9 of the worker in the middle.',
  ],
  'agents.clients': [
    'Issue 4.2',
    'The official clients converse, approve and edit as their documentation says.',
  ],
  'agents.killed': [
    'Shown',
    'A worker killed at any point of a call between agents does not change its outcome.',
  ],
};

const approvals: Promises = {
  'approval.waits': [
    'Issue 4.5',
    'A call that needs an approval ends the turn and waits as a row: no execution stays open, and a restart changes nothing.',
  ],
  'approval.run-deleted': [
    'Issue 9, time',
    'A run whose calls were approved in a later run can be deleted: the calls still run and stay recorded.',
  ],
  'approval.approve': [
    'Issue 4.5',
    'An approved call runs in the approval’s turn, and the agent continues as its rules say.',
  ],
  'approval.deny': ['Issue 4.5', 'The model reads that a call was denied and why, and gets another step.'],
  'approval.client-tool': [
    'Issue 4.5',
    'A call of a client tool waits for the result that the client sends.',
  ],
  'approval.images': [
    'Issue 10.3',
    'Images that a client tool returned reach the model after the results, and are listed, exported and imported unchanged.',
  ],
  'approval.partial': [
    'Issue 4.5',
    'Several waiting calls can be decided one by one; the turn continues when all are decided.',
  ],
  'approval.repeated': [
    'Issue 4.5',
    'A repeated approval returns the turn of the first one; nothing runs twice. If that turn was interrupted, the agent continues from its results.',
  ],
  'approval.unknown': [
    'Issue 4.5',
    'An approval of calls that are not waiting is refused with the list of those that are.',
  ],
  'approval.queue': [
    'Issue 4.5',
    'Other messages wait for the decision, in order, and wake nothing meanwhile.',
  ],
  'approval.cancel': [
    'Issue 4.5',
    'Cancelling gives each waiting call a result that says so, and the queue moves on.',
  ],
  'approval.wire': ['Issue 4.5', 'Approval requests and responses have the form that Letta’s clients read.'],
  'approval.setting': [
    'Issue 4.5',
    'A rule or a route of its own sets whether an agent’s tool needs an approval.',
  ],
  'turn.override': ['Issue 4.2', 'A request can set another model or other instructions for its own turn.'],
};

const chores: Promises = {
  'agents.compaction': [
    'Issue 10.3',
    'An agent’s compaction_settings, or those of one request, set the summariser, its instructions, the length of the summary and how much stays.',
  ],
  'agents.autoclear': [
    'Issue 10.3',
    'An agent with message_buffer_autoclear begins each turn without what was said before; calls that wait for a decision stay.',
  ],
  'messages.compact': [
    'Issue 4.7',
    'The context of a thread is summarised on request, after the turns before it.',
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
