import { type RawBuilder, sql } from 'kysely';
import { chooseConjunctions, type Conjunction, weightOf } from '../../core/archives/term-choice.js';
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

/** A row that says some of a text's words. */
export interface Said {
  readonly id: string;
  /** The row's share of the text's words, above 0 and up to 1. A word that fewer rows have counts more. */
  readonly share: number;
}

/** At most so many of the best rows are read again, to rank equals by how close together the words stand. */
const mostCompared = 500;
/** Up to so many searched rows, every row with any of the words is read. */
const mostRead = 20_000;
/** Above `mostRead`, so many rows with a rare word are read, and as many with two common words. */
const mostChosen = 1_000;
/** A text with more words (a page) is compared with all words of each row; a shorter one looks up each of its words. */
const fewWords = 50;

/**
 * The rows with any of the words, in any grammatical form. Best are those with most of the text, where a word that fewer of
 * the searched rows have counts more. So a question finds the statement that answers it, although they share few words. If
 * very many rows are searched, only those that may be among the best are read (`chooseConjunctions`), and the whole table
 * says how rare a word is.
 */
export async function findByWords(db: Db | Tx, query: LexicalQuery): Promise<readonly Said[]> {
  const lexemes = await lexemesOf(db, query.text);
  if (lexemes.length === 0) return [];
  const rows = await rowsExpected(db, query.table, query.within);
  if (rows <= mostRead) {
    return weigh(db, query, {
      terms: lexemes,
      sought: alone(lexemes),
      weights: countedWeights(lexemes, rows),
    });
  }
  const known = await sharesOf(db, query.table, lexemes);
  const words = {
    terms: known.map(({ term }) => term),
    weights: knownWeights(known.map(weightOf)),
    most: 2 * mostChosen,
  };
  const sought = chooseConjunctions(known, { rows, most: mostChosen });
  const found = await weigh(db, query, { ...words, sought });
  if (found.length >= query.limit) return found;
  // Too few rows have the rare words, so rows with any of the words follow.
  const others = await weigh(db, query, { ...words, sought: alone(words.terms) });
  const ids = new Set(found.map(({ id }) => id));
  return [...found, ...others.filter(({ id }) => !ids.has(id))].slice(0, query.limit);
}

interface Weighing {
  readonly terms: readonly string[];
  /** Rows with all words of any of these are read. */
  readonly sought: readonly Conjunction[];
  /** The weight of each term, by its place in `terms`. */
  readonly weights: RawBuilder<unknown>;
  /** At most so many rows are read, in no order. Absent: all. */
  readonly most?: number;
}

async function weigh(
  db: Db | Tx,
  { table, within, limit }: LexicalQuery,
  { terms, sought, weights, most }: Weighing,
): Promise<readonly Said[]> {
  const wanted = sought.map((words) => `(${words.map(quoted).join(' & ')})`).join(' | ');
  // The distance of the words only ranks equals, and is slow to compute for many words.
  const closest = terms.slice(0, fewWords).map(quoted).join(' | ');
  const result = await sql<Said>`${sql.raw(plannedAnew)}
    with matching as materialized (
      select id, created_at, lexemes from ${sql.table(table)}
      where ${within} and lexemes @@ ${wanted}::tsquery limit ${most ?? null}
    ), said as materialized (${termsOfRows(terms)}), weights as materialized (${weights}), weighed as materialized (
      select id, sum(weight) as weight from said join weights using (place) group by id
    ), best as materialized (
      select id, created_at, lexemes, weight from weighed join matching using (id)
      order by weight desc, created_at desc limit ${mostCompared}
    )
    select id, weight / (select sum(weight) from weights) as share from best
    order by weight desc, ts_rank_cd(lexemes, ${closest}::tsquery) desc, created_at desc, id limit ${limit}`.execute(
    db,
  );
  return result.rows;
}

/** Which terms each matching row has, by their places. */
function termsOfRows(terms: readonly string[]): RawBuilder<unknown> {
  return terms.length <= fewWords
    ? sql`
      select id, place from matching, unnest(${terms.map(quoted)}::text[]::tsquery[]) with ordinality as each (term, place)
      where lexemes @@ term`
    : sql`
      select id, place from matching cross join unnest(tsvector_to_array(lexemes)) as own (term)
      join unnest(${[...terms]}::text[]) with ordinality as each (term, place) using (term)`;
}

/** Weights by the number of matching rows with each term. A term of no row weighs as much as a term of one row. */
function countedWeights(terms: readonly string[], rows: number): RawBuilder<unknown> {
  return sql`
    select place, ln(1 + greatest(${rows}::float8, (select count(*) from matching)) / greatest(count(id), 1)) as weight
    from generate_series(1, ${terms.length}::int) as place left join said using (place) group by place`;
}

function knownWeights(weights: readonly number[]): RawBuilder<unknown> {
  return sql`select place, weight from unnest(${weights}::float8[]) with ordinality as each (weight, place)`;
}

function alone(terms: readonly string[]): readonly Conjunction[] {
  return terms.map((term) => [term]);
}

/** The query's words as Postgres stems them. Stop words are used only if there are no others. */
async function lexemesOf(db: Db | Tx, text: string): Promise<string[]> {
  const result = await sql<{ english: string[]; simple: string[] }>`
    select tsvector_to_array(to_tsvector('english', ${storable(text)})) as english,
      tsvector_to_array(to_tsvector('simple', ${storable(text)})) as simple`.execute(db);
  const { english = [], simple = [] } = result.rows[0] ?? {};
  return english.length > 0 ? english : simple;
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
