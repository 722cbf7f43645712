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
  /** How much of the text the row says, above 0 to 1: a word counts for the more, the fewer rows have it. */
  readonly share: number;
}

/** Of the rows that say most, so many are told apart by how close together they say it. */
const mostCompared = 500;
/** Where no more rows are searched, all that say any of the words are read. */
const mostRead = 20_000;
/** Of more than that, so many are read of those that have a rare word, and as many of those with two common ones. */
const mostChosen = 1_000;
/** Of more words than that, a question as long as a page, each row is asked for all that it has, and not for each of them. */
const fewWords = 50;

/**
 * The rows that say any of the words, in any grammatical form, best first: those that say most of the text, where a word
 * counts for the more, the fewer of the searched rows have it. A question thus finds the statement that answers it, although
 * they share few words. Where very many rows are searched, those are read that may be among the best
 * (`chooseConjunctions`), and words are as rare as they are in the whole table.
 */
export async function findByWords(db: Db | Tx, query: LexicalQuery): Promise<readonly Said[]> {
  const lexemes = await lexemesOf(db, query.text);
  if (lexemes.length === 0) return [];
  const rows = await rowsExpected(db, query.table, query.within);
  if (rows <= mostRead) {
    return weigh(db, query, { terms: lexemes, sought: alone(lexemes), weights: counted(lexemes, rows) });
  }
  const known = await sharesOf(db, query.table, lexemes);
  const words = {
    terms: known.map(({ term }) => term),
    weights: given(known.map(weightOf)),
    most: 2 * mostChosen,
  };
  const sought = chooseConjunctions(known, { rows, most: mostChosen });
  const found = await weigh(db, query, { ...words, sought });
  if (found.length >= query.limit) return found;
  // Few rows have what is rare: those with any of the words make up for them.
  const others = await weigh(db, query, { ...words, sought: alone(words.terms) });
  const ids = new Set(found.map(({ id }) => id));
  return [...found, ...others.filter(({ id }) => !ids.has(id))].slice(0, query.limit);
}

interface Weighing {
  readonly terms: readonly string[];
  /** Read are the rows that have all words of one of these. */
  readonly sought: readonly Conjunction[];
  /** What each term weighs, by its place. */
  readonly weights: RawBuilder<unknown>;
  /** So many rows are read, whichever come first. Absent: all. */
  readonly most?: number;
}

async function weigh(
  db: Db | Tx,
  { table, within, limit }: LexicalQuery,
  { terms, sought, weights, most }: Weighing,
): Promise<readonly Said[]> {
  const wanted = sought.map((words) => `(${words.map(quoted).join(' & ')})`).join(' | ');
  // How close together the words stand tells only equals apart, and takes long for many words.
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

/** Which terms, by their places, the rows have that were read. */
function termsOfRows(terms: readonly string[]): RawBuilder<unknown> {
  return terms.length <= fewWords
    ? sql`
      select id, place from matching, unnest(${terms.map(quoted)}::text[]::tsquery[]) with ordinality as each (term, place)
      where lexemes @@ term`
    : sql`
      select id, place from matching cross join unnest(tsvector_to_array(lexemes)) as own (term)
      join unnest(${[...terms]}::text[]) with ordinality as each (term, place) using (term)`;
}

/** Weights by how many of the rows that were read say each term; what none says is as rare as what one says. */
function counted(terms: readonly string[], rows: number): RawBuilder<unknown> {
  return sql`
    select place, ln(1 + greatest(${rows}::float8, (select count(*) from matching)) / greatest(count(id), 1)) as weight
    from generate_series(1, ${terms.length}::int) as place left join said using (place) group by place`;
}

function given(weights: readonly number[]): RawBuilder<unknown> {
  return sql`select place, weight from unnest(${weights}::float8[]) with ordinality as each (weight, place)`;
}

function alone(terms: readonly string[]): readonly Conjunction[] {
  return terms.map((term) => [term]);
}

/** The query's words as Postgres stems them; its stop words only where it has no others. */
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
