import type { AgentTables } from '../agents/tables.js';
import type { ArchiveTables } from '../archives/tables.js';
import type { BlockTables } from '../blocks/tables.js';
import type { FileTables } from '../files/tables.js';
import type { GroupTables } from '../groups/tables.js';
import type { IdentityTables } from '../identities/tables.js';
import type { RefinementTables } from '../refinement/tables.js';
import type { ScheduleTables } from '../schedules/tables.js';
import type { ThreadTables } from '../threads/tables.js';
import type { ToolTables } from '../tools/tables.js';
import type { TransferTables } from '../transfer/tables.js';
import type { TurnTables } from '../turns/tables.js';

/** Every table, as Kysely knows it. */
export interface Tables
  extends
    AgentTables,
    ArchiveTables,
    BlockTables,
    FileTables,
    GroupTables,
    IdentityTables,
    RefinementTables,
    ScheduleTables,
    ThreadTables,
    ToolTables,
    TransferTables,
    TurnTables {}
