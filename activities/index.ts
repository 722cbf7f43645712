import { approvalActivities } from './approvals.js';
import { modelActivities } from './call-model.js';
import { choreActivities } from './chores.js';
import type { ActivityDeps } from './deps.js';
import { evictionActivities } from './evict.js';
import { extensionActivities } from './extensions.js';
import { withoutContents } from './failures.js';
import { ingestionActivities } from './ingest-file.js';
import { refinementActivities } from './refine.js';
import { reportActivities } from './report-turn.js';
import { toolActivities } from './run-tool.js';
import { scheduleActivities } from './scheduled.js';
import { talkActivities } from './talks.js';
import { createToolImplementations } from './tools/implementations.js';
import { turnActivities } from './turns.js';

/** Everything that workflows ask to be done. Inputs and outputs are ids, names, numbers and verdicts. */
export function createActivities(deps: ActivityDeps) {
  const activities = {
    ...turnActivities(deps),
    ...modelActivities(deps),
    ...toolActivities(deps, createToolImplementations(deps)),
    ...evictionActivities(deps),
    ...approvalActivities(deps),
    ...choreActivities(deps),
    ...extensionActivities(deps),
    ...refinementActivities(deps),
    ...scheduleActivities(deps),
    ...talkActivities(deps),
    ...ingestionActivities(deps),
    ...reportActivities(deps),
  };
  return withoutContents(activities, deps.log);
}

export type Activities = ReturnType<typeof createActivities>;
