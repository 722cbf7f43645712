import type { Promises } from './requirement.js';

/** What people see in a browser. */
export const studio: Promises = {
  'studio.pages': [
    'Studio',
    'The studio at / of the server shows, and lets people change, talk, memory, context, turns, recall, sleep-time and agents.',
  ],
  'studio.step-request': [
    'Studio',
    'GET /v1/steps/{id}/request compiles what a step’s model was sent again from rows, and says where it can’t be sure.',
  ],
  'studio.context-history': [
    'Studio',
    'GET /v1/agents/{id}/context/history lists where the prompt was compiled anew and where messages left the context.',
  ],
  'studio.execution': [
    'Studio',
    'A run tells its execution in Temporal, with a link where the server knows the page.',
  ],
  'studio.budget': [
    'Studio',
    'The first script of the studio has at most 350 kB compressed, and an agent’s first view needs few requests.',
  ],
  'studio.scale': [
    'Studio',
    'With 1,000 agents, and with 10,000 messages of one, the page holds few rows and the oldest one can be reached.',
  ],
  'studio.access': ['Studio', 'No page of the studio has a serious fault of access, in both themes.'],
  'studio.policy': [
    'Studio',
    'The studio’s page may load nothing of another server; without a built studio / leads to the API’s page.',
  ],
};
