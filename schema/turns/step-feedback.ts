import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';
import { storable } from '../db/storable.js';

export type FeedbackKind = 'positive' | 'negative';

/** People's feedback on a step. */
export interface StepFeedback {
  readonly feedback: FeedbackKind | null;
  readonly tags: readonly string[];
}

/** Replaces the feedback on a step, which must exist. */
export async function saveStepFeedback(
  db: Db | Tx,
  stepId: string,
  { feedback, tags }: StepFeedback,
): Promise<void> {
  const said = { feedback, tags: tags.map(storable) };
  await db
    .insertInto('step_feedback')
    .values({ step_id: stepId, ...said })
    .onConflict((conflict) => conflict.column('step_id').doUpdateSet(said))
    .execute();
}

/** The feedback on these steps, by step id. Steps without any are left out. */
export async function feedbackOfSteps(
  db: Db | Tx,
  stepIds: readonly string[],
): Promise<ReadonlyMap<string, StepFeedback>> {
  const rows = await db
    .selectFrom('step_feedback')
    .selectAll()
    .where('step_id', '=', sql<string>`any(${[...stepIds]})`)
    .execute();
  return new Map(rows.map(({ step_id: stepId, feedback, tags }) => [stepId, { feedback, tags }]));
}

/** How long the parts of a step took, in ms; null: not yet done. */
export interface StepTimes {
  readonly modelMs: number | null;
  readonly toolsMs: number | null;
  readonly stepMs: number | null;
}

export async function stepTimes(db: Db | Tx, stepId: string): Promise<StepTimes> {
  const { rows } = await sql<StepTimes>`
    select
      extract(epoch from steps.answered_at - steps.created_at)::float * 1000 as "modelMs",
      sum(extract(epoch from effects.completed_at - effects.started_at))::float * 1000 as "toolsMs",
      extract(epoch from greatest(steps.answered_at, max(effects.completed_at)) - steps.created_at)::float * 1000
        as "stepMs"
    from steps left join effects on effects.step_id = steps.id
    where steps.id = ${stepId} group by steps.id`.execute(db);
  return rows[0] ?? { modelMs: null, toolsMs: null, stepMs: null };
}
