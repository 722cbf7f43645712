import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { findByWords } from '../../../schema/archives/lexical.js';
import { openTestDatabase, type OpenedDatabase } from '../fixtures.js';

const passages = 30_000;

describe('a search by words', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    const { db } = database;
    await sql`insert into archives (id, name, embedding) values ('archive-large', 'large', 'none'), ('archive-small', 'small', 'none')`.execute(
      db,
    );
    // Every passage names the sea, half of them a boat, a tenth a harbour, and one the aurora.
    await sql`
      insert into passages (id, archive_id, words)
      select 'passage-' || n, case when n % 1000 = 7 then 'archive-small' else 'archive-large' end,
        'sea' || case when n % 2 = 0 then ' boat' else '' end || case when n % 10 = 0 then ' harbour' else '' end
          || case when n = 25000 then ' aurora' else '' end || ' note' || n
      from generate_series(1, ${passages}::int) as n`.execute(db);
    // New rows stay outside the index on words until a vacuum.
    await sql`vacuum analyze passages`.execute(db);
  });
  afterAll(() => database.close());

  /** The ids that are found, and the number of rows that were read for them. */
  async function find(text: string, archive = 'archive-large') {
    return database.db.transaction().execute(async (tx) => {
      const found = await findByWords(tx, {
        ...{ table: 'passages', text, limit: 10 },
        within: sql<boolean>`passages.archive_id = ${archive}`,
      });
      const { rows } = await sql<{ read: number }>`
        select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
        from pg_stat_xact_user_tables where relname = 'passages'`.execute(tx);
      return { found: found.map(({ id }) => id), read: rows[0]?.read ?? 0 };
    });
  }

  it.each([
    ['a rare word', 'aurora', 'passage-25000'],
    ['a rare word among common ones', 'the boats of the harbour by the sea, and Aurora', 'passage-25000'],
  ])('finds a passage by %s, and reads few passages [archival.words-bounded]', async (_, text, first) => {
    const { found, read } = await find(text);

    expect(found[0]).toBe(first);
    expect(read).toBeLessThan(passages / 2);
  });

  it('ranks passages with most of the common words first [archival.words-bounded]', async () => {
    const { found } = await find('harbour boat');

    expect(found).toHaveLength(10);
    expect(found.every((id) => Number(id.slice('passage-'.length)) % 10 === 0)).toBe(true);
  });

  it('adds passages with a common word when few have the rare one [archival.words-bounded]', async () => {
    const { found, read } = await find('Aurora at sea');

    expect(found[0]).toBe('passage-25000');
    expect(found).toHaveLength(10);
    expect(read).toBeLessThan(passages / 2);
  });

  it('reads all passages of a small archive in the same table [archival.words-bounded]', async () => {
    const { found } = await find('note7 sea', 'archive-small');

    expect(found[0]).toBe('passage-7');
    expect(found).toHaveLength(10);
  });

  it('prefers one rare word to common words, however often and densely they occur [archival.words-rarity]', async () => {
    const { db } = database;
    await sql`insert into archives (id, name, embedding) values ('archive-lockers', 'lockers', 'none')`.execute(
      db,
    );
    // More texts have the common words close together than are compared in detail.
    await sql`
      insert into passages (id, archive_id, words)
      select 'locker-' || n, 'archive-lockers', case when n = 400 then repeat('gull pier rain ', 60) || 'locker bobana'
        else 'Which code has locker ' || n || '? Code, locker.' end
      from generate_series(1, 900) as n`.execute(db);

    const result = await findByWords(db, {
      ...{ table: 'passages', text: 'code of locker bobana', limit: 10 },
      within: sql<boolean>`passages.archive_id = 'archive-lockers'`,
    });

    expect(result[0]?.id).toBe('locker-400');
    expect(result[0]?.share).toBeGreaterThan(0.7);
    expect(result[1]?.share).toBeLessThan(0.3);
  });

  it('lowers the share of a match for words that no text has [archival.words-rarity]', async () => {
    const search = {
      table: 'passages' as const,
      limit: 1,
      within: sql<boolean>`passages.archive_id = 'archive-small'`,
    };

    const [whole] = await findByWords(database.db, { ...search, text: 'note7' });
    const [part] = await findByWords(database.db, { ...search, text: 'note7 zeppelin' });

    expect(whole).toEqual({ id: 'passage-7', share: 1 });
    expect(part?.share).toBeCloseTo(0.5);
  });

  it('finds the text with most words of a question as long as a page [archival.words-rarity]', async () => {
    const { db } = database;
    await sql`insert into archives (id, name, embedding) values ('archive-pages', 'pages', 'none')`.execute(
      db,
    );
    await sql`
      insert into passages (id, archive_id, words)
      select 'page-' || n, 'archive-pages', (select string_agg('word' || (n * k) % 1201, ' ') from generate_series(1, 12) as k)
      from generate_series(1, 1200) as n`.execute(db);
    await sql`analyze passages`.execute(db);
    const page = Array.from({ length: 1_200 }, (_, place) =>
      place < 12 ? `word${(77 * (place + 1)) % 1201}` : `other${place}`,
    );

    const [first] = await findByWords(db, {
      ...{ table: 'passages', text: page.join(' '), limit: 10 },
      within: sql<boolean>`passages.archive_id = 'archive-pages'`,
    });

    expect(first?.id).toBe('page-77');
  });

  it('finds nearly all new passages in the index [archival.words-bounded]', async () => {
    const { db } = database;
    await sql`
      insert into passages (id, archive_id, words)
      select 'fresh-' || n, 'archive-large', 'note' || n || ' of a boat' || n % 100 from generate_series(1, 10000) as n`.execute(
      db,
    );

    const { rows } = await sql<{ pages: number }>`
      select gin_clean_pending_list('passages_lexemes')::int as pages`.execute(db);

    // At 8 kB a page: half a megabyte, and what the last insert added.
    expect(rows[0]?.pages).toBeLessThanOrEqual(70);
  });
});
