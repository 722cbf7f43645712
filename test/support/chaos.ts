/**
 * Whether this run is `npm run chaos`: workers are killed at every place of a turn, and storms are large. `npm test` tries
 * each transaction and each kind of boundary once.
 */
export const isChaos = process.env['CHAOS'] !== undefined;

/** The cases of `npm test`, with the others of `npm run chaos`. */
export function withChaos<Case>(cases: readonly Case[], others: readonly Case[]): readonly Case[] {
  return isChaos ? [...cases, ...others] : cases;
}
