import { type RawBuilder, sql } from 'kysely';
import {
  chooseConjunctions,
  type Conjunction,
  type SoughtTerm,
  weightOf,
} from '../../core/archives/term-choice.js';
import type { Db, Tx } from '../db/database.js';
import { identifiersOf } from './identifiers.js';
import { rowsExpected, sharesOf } from './lexical-choice.js';
import { plannedAnew } from '../db/prepared-names.js';
import { storable } from '../db/storable.js';
import type { VectorTable } from './vectors.js';

/** What to look for by words. */
export interface LexicalQuery {
  readonly table: VectorTable;
  readonly text: string;
  /** Which rows of the table count. */
  readonly within: RawBuilder<boolean>;
  readonly limit: number;
}

/** As many rows are weighed at most, the ones that say most of the words. */
const mostWeighed = 500;
/** Where no more rows are searched, all that say any of the words are read. */
const mostRead = 20_000;
/** Of more than that, so many are read of those that have a rare word, and as many of those with two common ones. */
const mostChosen = 2_000;

/**
 * Ids of the rows that say any of the words, in any grammatical form, best first: each word counts for the more the
 * fewer rows have it. A question thus finds the statement that answers it, although they share few words. Where very many
 * rows are searched, those are read that may be among the best (`chooseConjunctions`).
 */
export async function findByWords(db: Db | Tx, query: LexicalQuery): Promise<readonly string[]> {
  const lexemes = await lexemesOf(db, query.text);
  if (lexemes.length === 0) return [];
  const rows = await rowsExpected(db, query.table, query.within);
  if (rows <= mostRead) return weighAll(db, query, lexemes.map(quoted));
  const terms = await sharesOf(db, query.table, lexemes);
  const found = await weighChosen(db, query, {
    terms,
    sought: chooseConjunctions(terms, { rows, most: mostChosen }),
  });
  // Few have what is rare: whoever has any of the words makes up for them.
  if (found.length >= query.limit) return found;
  const others = await weighChosen(db, query, { terms, sought: lexemes.map((lexeme) => [lexeme]) });
  return [...new Set([...found, ...others])].slice(0, query.limit);
}

async function weighAll(
  db: Db | Tx,
  { table, within, limit }: LexicalQuery,
  terms: readonly string[],
): Promise<readonly string[]> {
  const result = await sql<{ id: string }>`${sql.raw(plannedAnew)}
    with matching as materialized (
      select id, created_at, lexemes, ts_rank_cd(lexemes, ${anyOf(terms)}) as rank from ${sql.table(table)}
      where ${within} and lexemes @@ ${anyOf(terms)}
      order by rank desc limit ${mostWeighed}
    ), said as (
      select matching.id, term from matching, unnest(${terms}::text[]) as term where lexemes @@ term::tsquery
    ), weights as (
      select term, ln(1 + (select count(*) from matching)::float8 / count(*)) as weight from said group by term
    )
    select id from matching join said using (id) join weights using (term)
    group by id, rank, created_at order by sum(weight) desc, rank desc, created_at desc, id limit ${limit}`.execute(
    db,
  );
  return result.rows.map((row) => row.id);
}

/** The best of the rows that have all words of one of the conjunctions, as far as they are read. */
async function weighChosen(
  db: Db | Tx,
  { table, within, limit }: LexicalQuery,
  { terms, sought }: { readonly terms: readonly SoughtTerm[]; readonly sought: readonly Conjunction[] },
): Promise<readonly string[]> {
  const wanted = sought.map((words) => `(${words.map(quoted).join(' & ')})`).join(' | ');
  const queries = terms.map(({ term }) => quoted(term));
  const result = await sql<{ id: string }>`${sql.raw(plannedAnew)}
    with chosen as materialized (
      select id, created_at, lexemes from ${sql.table(table)}
      where ${within} and lexemes @@ ${wanted}::tsquery limit ${mostChosen * 2}
    ), weighed as materialized (
      select id, created_at, lexemes, (
        select sum(weight) from unnest(${queries}::text[], ${terms.map(weightOf)}::float8[]) as each (term, weight)
        where lexemes @@ term::tsquery
      ) as weight from chosen order by weight desc, created_at desc limit ${mostWeighed}
    )
    select id from weighed
    order by weight desc, ts_rank_cd(lexemes, ${anyOf(queries)}) desc, created_at desc, id limit ${limit}`.execute(
    db,
  );
  return result.rows.map((row) => row.id);
}

/** The query's words as Postgres stems them; its stop words only where it has no others. */
async function lexemesOf(db: Db | Tx, text: string): Promise<string[]> {
  const result = await sql<{ english: string[]; simple: string[] }>`
    select tsvector_to_array(to_tsvector('english', ${storable(text)})) as english,
      tsvector_to_array(to_tsvector('simple', ${storable(text)})) as simple`.execute(db);
  const { english = [], simple = [] } = result.rows[0] ?? {};
  return english.length > 0 ? english : simple;
}

function anyOf(terms: readonly string[]): RawBuilder<unknown> {
  return sql`${terms.join(' | ')}::tsquery`;
}

function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** Ids of the rows that name any of the identifiers in the text, those that name most first, then the newest. */
export async function findByIdentifiers(db: Db | Tx, query: LexicalQuery): Promise<readonly string[]> {
  const { table, within, limit } = query;
  const wanted = identifiersOf(query.text);
  if (wanted.length === 0) return [];
  const result = await sql<{ id: string }>`${sql.raw(plannedAnew)}
    select id from ${sql.table(table)} where ${within} and identifiers && ${wanted}::text[]
    order by (select count(*) from unnest(identifiers) as own where own = any(${wanted}::text[])) desc, created_at desc, id
    limit ${limit}`.execute(db);
  return result.rows.map((row) => row.id);
}
