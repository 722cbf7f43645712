import { type RawBuilder, sql } from 'kysely';

/**
 * The condition that a message was said in a group: by its user (counted once, however many agents heard it), or by
 * an agent in a turn of the group's talks, including its tool calls.
 */
export function saidInGroup(groupId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from talk_turns tt join talks k on k.id = tt.talk_id
    where tt.turn_id = messages.turn_id and k.group_id = ${groupId} and (
      (messages.step_id is not null and messages.kind in ('assistant', 'tool'))
      or (tt.opens and messages.step_id is null and messages.sender_id is distinct from ${groupId})))`;
}

/**
 * The condition that a message belongs to a turn of a group's talks: what its agent was told, thought, said and did.
 */
export function isOfTalks(groupId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from talk_turns tt join talks k on k.id = tt.talk_id
    where tt.turn_id = messages.turn_id and k.group_id = ${groupId})`;
}
