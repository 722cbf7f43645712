import type { IdentityProperty, IdentityType } from '../../core/identities/identities.js';
import type { Json, Moment } from '../db/columns.js';

export interface IdentitiesTable {
  id: string;
  identifier_key: string;
  name: string;
  identity_type: IdentityType;
  project_id: string | null;
  properties: Json<IdentityProperty[]>;
  created_at: Moment;
  updated_at: Moment;
}

export interface AgentIdentitiesTable {
  agent_id: string;
  identity_id: string;
  attached_at: Moment;
}

export interface BlockIdentitiesTable {
  block_id: string;
  identity_id: string;
  attached_at: Moment;
}

/** The tables of identities. */
export interface IdentityTables {
  identities: IdentitiesTable;
  agent_identities: AgentIdentitiesTable;
  block_identities: BlockIdentitiesTable;
}
