import type { Promises } from './requirement.js';

/** The user interface in a browser. */
export const studio: Promises = {
  'studio.pages': [
    'Studio',
    'The studio at / of the server has pages to chat and to see and change memory, context, turns, recall, sleep-time and agents.',
  ],
  'studio.step-request': [
    'Studio',
    'GET /v1/steps/{id}/request compiles the request of a step’s model call again from rows, and says where it is not certain.',
  ],
  'studio.context-history': [
    'Studio',
    'GET /v1/agents/{id}/context/history lists when the prompt was compiled again and when messages left the context.',
  ],
  'studio.execution': [
    'Studio',
    'A run shows its execution in Temporal, with a link when the server knows the page.',
  ],
  'studio.budget': [
    'Studio',
    'The first script of the studio has at most 350 kB compressed, and the first view of an agent needs few requests.',
  ],
  'studio.scale': [
    'Studio',
    'However many agents there are, or messages of one agent, the page holds few rows and the oldest one can be reached.',
  ],
  'studio.access': ['Studio', 'No page of the studio has a serious accessibility fault, in both themes.'],
  'studio.policy': [
    'Studio',
    'The studio’s page cannot load anything from another server; without a built studio / leads to the API’s page.',
  ],
};
