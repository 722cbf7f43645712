import { beginningActivities, type BeginInput } from './begin-turn.js';
import type { CancelInput } from './cancel-turn.js';
import { choreActivities, type ChoreInput } from './chores.js';
import { approvalActivities, type DecisionsInput } from './approvals.js';
import { modelActivities } from './call-model.js';
import type { ActivityDeps } from './deps.js';
import { evictionActivities, type EvictInput } from './evict.js';
import { type DecideInput, extensionActivities } from './extensions.js';
import { withoutContents } from './failures.js';
import { type CloseInput, type OpenInput, refinementActivities } from './refine.js';
import { type FileInput, ingestionActivities } from './ingest-file.js';
import { type ReportInput, reportActivities } from './report-turn.js';
import { scheduleActivities, type ScheduledInput } from './scheduled.js';
import { toolActivities, type ToolInput } from './run-tool.js';
import type { StepInput } from './step-input.js';
import { type AdvanceInput, talkActivities } from './talks.js';
import { createToolImplementations } from './tools/implementations.js';
import { type ClaimInput, type SettleInput, turnActivities } from './turns.js';

/** Everything that workflows ask to be done. Inputs and outputs are ids, names, numbers and verdicts. */
export function createActivities(deps: ActivityDeps) {
  const implementations = createToolImplementations(deps);
  const turns = turnActivities(deps);
  const models = modelActivities({ ...deps, implementations });
  const beginnings = beginningActivities({ ...deps, implementations });
  const tools = toolActivities(deps, implementations);
  const evictions = evictionActivities(deps);
  const refinements = refinementActivities(deps);
  const ingestions = ingestionActivities(deps);
  const schedules = scheduleActivities(deps);
  const approvals = approvalActivities(deps);
  const chores = choreActivities(deps);
  const extensions = extensionActivities(deps);
  const reports = reportActivities(deps);
  const talks = talkActivities(deps);
  return {
    claimTurn: withoutContents('claimTurn', deps.log, (input: ClaimInput) => turns.claimTurn(input)),
    beginTurn: withoutContents('beginTurn', deps.log, (input: BeginInput) => beginnings.beginTurn(input)),
    settleTurn: withoutContents('settleTurn', deps.log, (input: SettleInput) => turns.settleTurn(input)),
    callModel: withoutContents('callModel', deps.log, (input: StepInput) => models.callModel(input)),
    doChore: withoutContents('doChore', deps.log, (input: ChoreInput) => chores.doChore(input)),
    carryOutDecisions: withoutContents('carryOutDecisions', deps.log, (input: DecisionsInput) =>
      approvals.carryOutDecisions(input),
    ),
    decideStep: withoutContents('decideStep', deps.log, (input: DecideInput) => extensions.decideStep(input)),
    askAgents: withoutContents('askAgents', deps.log, (input: ToolInput) => tools.askAgents(input)),
    tellAskers: withoutContents('tellAskers', deps.log, (input: { turnId: string }) =>
      turns.tellAskers(input),
    ),
    runTool: withoutContents('runTool', deps.log, (input: ToolInput) => tools.runTool(input)),
    evict: withoutContents('evict', deps.log, (input: EvictInput) => evictions.evict(input)),
    sendScheduled: withoutContents('sendScheduled', deps.log, (input: ScheduledInput) =>
      schedules.sendScheduled(input),
    ),
    cancelTurn: withoutContents('cancelTurn', deps.log, (input: CancelInput) => schedules.cancelTurn(input)),
    openRefinement: withoutContents('openRefinement', deps.log, (input: OpenInput) =>
      refinements.openRefinement(input),
    ),
    closeRefinement: withoutContents('closeRefinement', deps.log, (input: CloseInput) =>
      refinements.closeRefinement(input),
    ),
    cancelRefinement: withoutContents('cancelRefinement', deps.log, (input: CloseInput) =>
      refinements.cancelRefinement(input),
    ),
    callBack: withoutContents('callBack', deps.log, (input: ReportInput) => reports.callBack(input)),
    advanceTalks: withoutContents('advanceTalks', deps.log, (input: AdvanceInput) =>
      talks.advanceTalks(input),
    ),
    readFile: withoutContents('readFile', deps.log, (input: FileInput) => ingestions.readFile(input)),
    embedChunks: withoutContents('embedChunks', deps.log, (input: FileInput) =>
      ingestions.embedChunks(input),
    ),
    publishFile: withoutContents('publishFile', deps.log, (input: FileInput) =>
      ingestions.publishFile(input),
    ),
    giveUpFile: withoutContents('giveUpFile', deps.log, (input: FileInput & { readonly failure: string }) =>
      ingestions.giveUpFile(input),
    ),
  };
}

export type Activities = ReturnType<typeof createActivities>;
