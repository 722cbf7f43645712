import { approvalActivities } from './turns/approvals.js';
import { modelActivities } from './turns/call-model.js';
import { choreActivities } from './threads/chores.js';
import type { ActivityDeps } from './deps.js';
import { evictionActivities } from './threads/evict.js';
import { extensionActivities } from './extensions.js';
import { withoutContents } from './failures.js';
import { ingestionActivities } from './files/ingest-file.js';
import { refinementActivities } from './refinement/refine.js';
import { reportActivities } from './turns/report-turn.js';
import { toolActivities } from './tools/run-tool.js';
import { scheduleActivities } from './schedules/scheduled.js';
import { talkActivities } from './groups/talks.js';
import { createToolImplementations } from './tools/implementations.js';
import { turnActivities } from './turns/claim-and-settle.js';

/** All activities of our workflows. Inputs and outputs are ids, names, numbers and verdicts. */
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
