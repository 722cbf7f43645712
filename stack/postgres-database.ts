import pg from 'pg';
import { clusterName, programsRole } from './postgres-cluster.js';

/** What `prepareDatabase` needs. */
export interface DatabasePreparation {
  /** The URL of the superuser to a database of the server. */
  readonly adminUrl: (database: string) => string;
  /** Of the role that worker and server use. */
  readonly password: string;
  /** True when the server can make the extension `vector`, which only a superuser may. */
  readonly vector: boolean;
}

/**
 * Makes the database and the role that worker and server use. The role owns everything in the database and has no other
 * rights on the server; objects that a superuser owns there are handed over to it. Harmless when repeated.
 */
export async function prepareDatabase({ adminUrl, password, vector }: DatabasePreparation): Promise<void> {
  await withClient(adminUrl('postgres'), async (client) => {
    await makeRole(client, password);
    const found = await client.query(
      'select pg_get_userbyid(datdba) as owner from pg_database where datname = $1',
      [clusterName],
    );
    const [database] = found.rows as { owner: string }[];
    if (database === undefined) await client.query(`create database ${clusterName} owner ${programsRole}`);
    else if (database.owner !== programsRole)
      await client.query(`alter database ${clusterName} owner to ${programsRole}`);
  });
  await withClient(adminUrl(clusterName), async (client) => {
    if (vector) await client.query('create extension if not exists vector');
    await client.query(handOver);
  });
}

/** Connects, uses the connection and ends it. */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // A server that ends while we are connected must not end this process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function makeRole(client: pg.Client, password: string): Promise<void> {
  const found = await client.query('select 1 from pg_roles where rolname = $1', [programsRole]);
  const limits = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls';
  const verb = found.rowCount === 0 ? 'create' : 'alter';
  await client.query(`${verb} role ${programsRole} ${limits} password ${client.escapeLiteral(password)}`);
}

/** Gives the role all objects of the database that the superuser owns and no extension brought. */
const handOver = `
do $$
declare change text;
begin
  for change in
    with places as (
      select oid, nspname from pg_namespace
      where nspname <> 'information_schema' and nspname not like 'pg\\_%'
    ), brought as (
      select classid, objid from pg_depend where deptype = 'e'
    )
    select format('schema %I', nspname) from pg_namespace
      where nspowner = current_user::regrole and oid in (select oid from places)
    union all
    select format('%s %s', case relkind when 'v' then 'view' when 'm' then 'materialized view'
        when 'S' then 'sequence' when 'f' then 'foreign table' else 'table' end, oid::regclass)
      from pg_class
      where relowner = current_user::regrole and relnamespace in (select oid from places)
        and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
        and ('pg_class'::regclass, oid) not in (select classid, objid from brought)
        -- A column's own sequence follows its table.
        and not exists (
          select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid
            and relkind = 'S' and deptype in ('a', 'i'))
    union all
    select format('routine %s', oid::regprocedure) from pg_proc
      where proowner = current_user::regrole and pronamespace in (select oid from places)
        and ('pg_proc'::regclass, oid) not in (select classid, objid from brought)
    union all
    select format('type %s', oid::regtype) from pg_type
      where typowner = current_user::regrole and typnamespace in (select oid from places)
        and typtype in ('d', 'e', 'r')
        and ('pg_type'::regclass, oid) not in (select classid, objid from brought)
  loop
    execute format('alter %s owner to ${programsRole}', change);
  end loop;
end $$`;
