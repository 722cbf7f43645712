import type { Promises } from './requirement.js';

/** Tools that are Temporal activities of users' own workers. */
export const activityTools: Promises = {
  'tools.activity-form': [
    'Clients 4',
    'An activity becomes a tool over REST by its task queue, name and JSON schema; a missing or invalid field is a 422 that names it.',
  ],
  'tools.activity-run': [
    'Clients 4',
    'An agent’s call reaches the user’s worker with its arguments, and what the activity returns or throws reaches the model, cut to the tool’s limit.',
  ],
  'tools.activity-once': [
    'Rule: effects',
    'The activity is called once and its result is stored, however often perdure’s worker dies meanwhile.',
  ],
  'tools.activity-away': [
    'Bad input',
    'When no worker polls the task queue, the model reads which queue it is, within the time limit.',
  ],
  'tools.activity-bounds': [
    'Bad input',
    'Arguments beyond 256 KiB are not sent, and an activity cannot use perdure’s own task queue.',
  ],
  'tools.activity-cancel': ['Clients 4', 'Cancelling the turn cancels the activity.'],
  'tools.activity-python': [
    'Clients 4',
    'The example’s Python worker runs an agent’s call, and one script creates its environment.',
  ],
};
