import type { z } from 'zod';
import type { WireAgent } from '../../server/agents/agents-wire.js';
import type { WireBlock } from '../../server/blocks/blocks-wire.js';
import type {
  wireBlamedLine,
  wireRevision,
  wireRevisionWithValue,
} from '../../server/blocks/revisions-wire.js';
import type { WireMessage } from '../../server/threads/message-shapes-wire.js';
import type { WirePassage } from '../../server/archives/passages-wire.js';
import type { WireFile } from '../../server/files/files-wire.js';
import type { WireSource } from '../../server/files/sources-wire.js';
import type { WireTool } from '../../server/tools/tools-wire.js';
import type { wireGroup } from '../../server/groups/groups-wire.js';
import type { WireRefinement } from '../../server/refinement/refinements-wire.js';
import type { wireRefinementSchedule } from '../../server/schedules/refinement-schedules-wire.js';
import type { wireScheduledMessages } from '../../server/schedules/schedules-wire.js';
import type { foundMessage } from '../../server/threads/found-messages-wire.js';
import type { wireContextHistory } from '../../server/threads/context-history-wire.js';
import type { wireContextOverview } from '../../server/threads/context-overview-wire.js';
import type { wireExecution } from '../../server/turns/execution-wire.js';
import type { WireRun } from '../../server/turns/runs-wire.js';
import type { wireStepRequest } from '../../server/turns/step-request-wire.js';
import type { WireStep, wireStepMetrics } from '../../server/turns/steps-wire.js';

// Types alone: the studio shares no code with the server, and the wire says what both speak.
export type Agent = WireAgent;
export type Block = WireBlock;
export type Revision = z.infer<typeof wireRevision>;
export type RevisionWithValue = z.infer<typeof wireRevisionWithValue>;
export type BlamedLine = z.infer<typeof wireBlamedLine>;
export type Message = WireMessage;
export type ContextOverview = z.infer<typeof wireContextOverview>;
export type ContextHistory = z.infer<typeof wireContextHistory>;
export type Run = WireRun;
export type Execution = z.infer<typeof wireExecution>;
export type StepRequest = z.infer<typeof wireStepRequest>;
export type Step = WireStep;
export type StepMetrics = z.infer<typeof wireStepMetrics>;
export type Source = WireSource;
export type SourceFile = WireFile;
export type Tool = WireTool;
export type Passage = WirePassage;
export type FoundMessage = z.infer<typeof foundMessage>;
export type Group = z.infer<typeof wireGroup>;
export type Refinement = WireRefinement;
export type RefinementSchedule = z.infer<typeof wireRefinementSchedule>;
export type ScheduledMessages = z.infer<typeof wireScheduledMessages>;
