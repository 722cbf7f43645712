import { sql } from 'kysely';
import { listen } from '../client/listening.js';
import { type Db, inTransaction, openDatabase, type Tx } from '../schema/db/database.js';
import { hint } from '../schema/db/hints.js';
import type { BenchStack } from './bench-stack.js';
import { print, shown, summarise, table } from './figures.js';

const writers = 16;
const roundMs = 4_000;
const rounds = 3;
const channel = 'bench_hints';

type Telling = (db: Db, tx: Tx, payload: string) => unknown;

/** Ways to notify listeners of a commit. */
const ways: readonly { readonly name: string; readonly tell: Telling }[] = [
  { name: 'no notification', tell: () => undefined },
  {
    name: 'a hint after the commit',
    tell: (_, tx, payload) => {
      hint(tx, channel, payload);
    },
  },
  {
    name: 'NOTIFY within the transaction',
    tell: (_, tx, payload) => sql`select pg_notify(${channel}, ${payload})`.execute(tx),
  },
];

/** Measures how many commits per second sixteen writers make, and how late listeners hear of them, for each way to notify. */
export async function benchHints({ stack }: BenchStack): Promise<void> {
  const database = openDatabase(stack.databaseUrl, { connections: writers });
  const { db } = database;
  await sql`create table bench_hints (writer integer primary key, count bigint not null)`.execute(db);
  await sql`insert into bench_hints select n, 0 from generate_series(0, ${writers - 1}::int) as n`.execute(
    db,
  );
  const rates = ways.map((): number[] => []);
  const delays = ways.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { tell }] of ways.entries()) {
      const { commits, late } = await play(stack.databaseUrl, db, tell);
      rates[index]?.push((commits * 1_000) / roundMs);
      delays[index]?.push(...late);
    }
  }
  await database.close();
  print(`\n## Hints: ${writers} writers; each transaction is an update and its notification\n`);
  const rows = ways.map(({ name }, index) => {
    const late = summarise(delays[index] ?? []);
    const heard = late.count === 0 ? ['–', '–'] : [shown(late.p50), shown(late.p95)];
    return [name, shown(summarise(rates[index] ?? []).p50), ...heard];
  });
  print(table([['notification', 'commits/s', 'heard after ms, p50', 'p95'], ...rows]));
}

async function play(
  databaseUrl: string,
  db: Db,
  tell: Telling,
): Promise<{ commits: number; late: readonly number[] }> {
  const late: number[] = [];
  const listening = listen({
    databaseUrl,
    channel,
    onPayload: (payload) => late.push(performance.now() - Number(payload.split(' ')[1])),
  });
  await listening.begun;
  const end = performance.now() + roundMs;
  let commits = 0;
  const write = async (writer: number): Promise<void> => {
    while (performance.now() < end) {
      await inTransaction(db, async (tx) => {
        await sql`update bench_hints set count = count + 1 where writer = ${writer}`.execute(tx);
        await tell(db, tx, `${writer} ${performance.now()}`);
      });
      commits += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  await listening.close();
  return { commits, late };
}
