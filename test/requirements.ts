import { activityTools } from './requirements/activity-tools.js';
import { agentFiles } from './requirements/agent-files.js';
import { agentTools } from './requirements/agent-tools.js';
import { agents } from './requirements/agents.js';
import { archival } from './requirements/archival.js';
import { blocks } from './requirements/blocks.js';
import { cli } from './requirements/cli.js';
import { extensions } from './requirements/extensions.js';
import { files } from './requirements/files.js';
import { foundation } from './requirements/foundation.js';
import { groups } from './requirements/groups.js';
import { memory } from './requirements/memory.js';
import { packaged } from './requirements/package.js';
import { programs } from './requirements/programs.js';
import { wire } from './requirements/wire.js';
import { safety } from './requirements/safety.js';
import { sandbox } from './requirements/sandbox.js';
import { scale } from './requirements/scale.js';
import { seeds } from './requirements/seeds.js';
import { turn } from './requirements/turn.js';
import type { Measured, Promises, Requirement } from './requirements/requirement.js';
import { studio } from './requirements/studio.js';
import { sleep } from './requirements/sleep.js';
import { waits } from './requirements/waits.js';

const areas: readonly Promises[] = [
  agentFiles,
  activityTools,
  agentTools,
  agents,
  archival,
  blocks,
  cli,
  extensions,
  files,
  foundation,
  groups,
  memory,
  packaged,
  programs,
  safety,
  sandbox,
  scale,
  seeds,
  sleep,
  studio,
  turn,
  waits,
  wire,
];

/** Every promise that a passed test must show (`test/support/run/requirements-reporter.js`). */
export const requirements: readonly Requirement[] = areas
  .flatMap((area) => Object.entries(area))
  .map(([id, [source, behaviour]]) => ({ id, source, behaviour }));

/** Promises that no test cites. */
export const measured: readonly Measured[] = [
  {
    id: 'stack.cold-start',
    source: 'Shown',
    behaviour: 'A cold start with cached binaries answers /v1/health in under 10 s.',
    command: 'npm run bench -- start',
  },
  {
    id: 'turn.recovery-time',
    source: 'Shown',
    behaviour: 'A turn whose worker was killed goes on within 5 s of the restart.',
    command: 'npm run bench -- recovery',
  },
  {
    id: 'scale.overhead',
    source: 'Shown',
    behaviour: 'Turns over REST cost little beside the floor of a bare workflow in the same run.',
    command: 'npm run bench -- turns',
  },
  {
    id: 'scale.filled',
    source: 'Scale',
    behaviour:
      'A turn among a million others costs what it does in an empty database, and nothing reads a whole table there.',
    command: 'npm run bench -- scale',
  },
  {
    id: 'block.edit-cost',
    source: 'Shared blocks, shown',
    behaviour:
      'An edit of a block, and the next step of an agent that has it, cost the same for 10,000 agents.',
    command: 'npm run bench -- shared',
  },
  {
    id: 'scale.long-history',
    source: 'Shown',
    behaviour:
      'History bytes per step are flat from step 1 to step 100 at 200k tokens; prompts as inputs grow.',
    command: 'npm run bench -- history',
  },
  {
    id: 'epoch.cached',
    source: 'Shown',
    behaviour: 'At least 95 % of the prompt tokens of a long trace with edits stand in an unchanged prefix.',
    command: 'npm run bench -- prefix',
  },
  {
    id: 'tools.start-cost',
    source: 'Shown',
    behaviour: 'A Python tool in the sandbox starts within 60 ms (median) of the interpreter’s own start.',
    command: 'npm run bench -- tools',
  },
];
