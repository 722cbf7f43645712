import type { Promises } from './requirement.js';

/** Tools that are Temporal activities of users' own workers. */
export const activityTools: Promises = {
  'tools.activity-form': [
    'Clients 4',
    'An activity becomes a tool over REST by its task queue, its name and a JSON schema; what is missing or out of bounds is a 422 that says so.',
  ],
  'tools.activity-run': [
    'Clients 4',
    'An agent’s call reaches the user’s worker with its arguments, and what the activity returns or throws reaches the model, cut to the tool’s limit.',
  ],
  'tools.activity-once': [
    'Rule: effects',
    'However often perdure’s worker dies in the middle, the activity is called once, and its result is stored.',
  ],
  'tools.activity-away': [
    'Bad input',
    'Where no worker polls the task queue, the model is told which queue that is, in time.',
  ],
  'tools.activity-bounds': [
    'Bad input',
    'Arguments beyond 256 KiB are not sent, and perdure’s own task queue is not reached.',
  ],
  'tools.activity-cancel': ['Clients 4', 'Cancelling the turn cancels the activity.'],
  'tools.activity-python': [
    'Clients 4',
    'The example’s Python worker runs an agent’s call, and its environment is made by one script.',
  ],
};
