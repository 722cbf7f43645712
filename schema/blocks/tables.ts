/** That an agent was woken for a change, and by which turn. */
export interface BlockWakesTable {
  agent_id: string;
  /** The edit from outside that the change follows from, as `block:revision`. */
  origin: string;
  turn_id: string;
}

export interface BlockTables {
  block_wakes: BlockWakesTable;
}
