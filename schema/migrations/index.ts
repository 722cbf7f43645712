import type { Migration } from 'kysely';
import * as foundation from './0001-foundation.js';
import * as messagesByEmbedding from './0002-messages-by-embedding.js';

/** Every migration by its name, in order. A landed migration is never edited: a change is a new one. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-foundation': foundation,
  '0002-messages-by-embedding': messagesByEmbedding,
};
