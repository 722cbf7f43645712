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
  'agents.killed': [
    'Shown',
    'A worker killed at any point of a call between agents leaves the same end as none killed.',
  ],
};

export const agents: Promises = { ...conversations, ...calls };
