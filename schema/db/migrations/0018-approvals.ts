import { type Kysely, sql } from 'kysely';

/** Tool calls that wait for a person or for the client, beyond the end of their turn. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table effects
    drop constraint effects_state_check,
    add constraint effects_state_check check (state in ('planned', 'started', 'awaiting', 'done')),
    -- Set while the approval's turn has not carried it out; that turn takes the call over.
    add column decision jsonb`,
  // The step whose calls wait: until they are decided, only approvals are taken from the thread's queue.
  `alter table threads add column awaiting_step text`,
];
