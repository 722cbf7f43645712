import type { Promises } from './requirement.js';

/** What people see in a browser. */
export const studio: Promises = {
  'studio.pages': [
    'Studio',
    'The studio at / of the server shows, and lets people change, talk, memory, context, turns, recall, sleep-time and agents.',
  ],
  'studio.access': ['Studio', 'No page of the studio has a serious fault of access, in both themes.'],
  'studio.policy': [
    'Studio',
    'The studio’s page may load nothing of another server; without a built studio / leads to the API’s page.',
  ],
};
