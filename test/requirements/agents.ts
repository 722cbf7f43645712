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

export const agents: Promises = { ...conversations };
