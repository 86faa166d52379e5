import pg from 'pg'
import { BREAKING_MIGRATIONS } from '../../src/store/migrate-tables.ts'
import { createPostgresDatabase } from './postgres.ts'

type Kept = Awaited<ReturnType<typeof createPostgresDatabase>> & {
  keeper: pg.Client
  /** The schema of the template. */
  shape: string
}

const idle: Kept[] = []

/** Ends the other sessions, of which it has a row each. */
const END_SESSIONS = `
select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend'
    and pid <> pg_backend_pid()`

const END_MS_MAX = 5000

/** Removes all rows, the numbers of sequences and the clock of a test. */
const EMPTY = `
do $$
declare filled regclass;
begin
  set local session_replication_role = replica;
  set local client_min_messages = error;
  drop table if exists public.test_clock;
  drop function if exists public.clock_timestamp();
  for filled in
    select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname not like 'kysely%' and pg_relation_size(oid) > 0
  loop
    execute format('delete from %s', filled);
  end loop;
  perform setval(seqrelid::regclass, seqstart, false) from pg_sequence
    where pg_sequence_last_value(seqrelid) is not null;
end $$`

/** The tables that have or had rows. */
const FILLED = `
select oid::regclass::text as name from pg_class
  where relnamespace = 'public'::regnamespace and relkind = 'r'
    and relname not like 'kysely%' and pg_relation_size(oid) > 0`

/** What deleting rows does not undo. */
const SHAPE = `
select md5(string_agg(part, ',' order by part)) as shape from (
  select concat_ws(' ', relname, relkind, reltuples,
      case when relkind = 'r' then pg_relation_size(oid) end) as part
    from pg_class where relnamespace = 'public'::regnamespace
  union all select concat_ws(' ', attrelid::regclass, attname, atttypid, attnotnull)
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and attnum > 0
  union all select proname from pg_proc where pronamespace = 'public'::regnamespace
  union all select concat_ws(' ', tgrelid::regclass, tgname, tgenabled) from pg_trigger
  union all select concat_ws(' ', conrelid::regclass, conname) from pg_constraint
  union all select concat_ws(' ', 'statistics', count(*))
    from pg_statistic join pg_class on pg_class.oid = starelid
    where relnamespace = 'public'::regnamespace
  union all select setconfig::text from pg_db_role_setting
    where setdatabase = (select oid from pg_database where datname = current_database())
) as parts`

/**
 * Writes what the migrations and the first start have written. The planner takes small tables
 * differently once it knows their size, so it forgets what VACUUM has told it.
 */
const RENEW = `
insert into meta values ('needed_migration', '${BREAKING_MIGRATIONS.at(-1)}'),
  ('changes', '0'), ('account_changes', '0');
set allow_system_table_mods = on;
update pg_class set reltuples = -1, relpages = 0, relallvisible = 0
  where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples <> -1
    and relname not like 'kysely%';
reset allow_system_table_mods`

/**
 * A copy of the template that serves further tests: emptying it takes a third of copying and
 * dropping. A database whose schema a test has changed is dropped.
 */
export async function takeKeptDatabase(adminUrl: string, template: string) {
  const kept = idle.pop() ?? (await open(adminUrl, template))
  return { url: kept.url, drop: () => putBack(kept) }
}

async function open(adminUrl: string, template: string): Promise<Kept> {
  const database = await createPostgresDatabase(adminUrl, template)
  const keeper = new pg.Client({ connectionString: database.url })
  // A test may end all sessions. The next statement then fails.
  keeper.on('error', () => {})
  await keeper.connect()
  return { ...database, keeper, shape: await shapeOf(keeper) }
}

async function putBack(kept: Kept) {
  try {
    await empty(kept.keeper)
    if ((await shapeOf(kept.keeper)) === kept.shape) return void idle.push(kept)
  } catch {
    // Dropping works in any state.
  }
  await kept.keeper.end()
  await kept.drop()
}

async function empty(keeper: pg.Client) {
  await endSessions(keeper)
  await keeper.query(EMPTY)
  const { rows } = await keeper.query<{ name: string }>(FILLED)
  // Otherwise new rows would fill gaps between old ones, and appear in another order.
  await keeper.query(`vacuum (truncate) ${rows.map(({ name }) => name).join(', ')}`)
  await keeper.query(RENEW)
}

/** With a time limit, `pg_terminate_backend` looks again only after a tenth of a second. */
async function endSessions(keeper: pg.Client) {
  const giveUpAt = performance.now() + END_MS_MAX
  while ((await keeper.query(END_SESSIONS)).rows.length > 0) {
    if (performance.now() > giveUpAt) throw new Error('a session does not end')
  }
}

async function shapeOf(keeper: pg.Client): Promise<string> {
  const { rows } = await keeper.query<{ shape: string }>({ name: 'shape', text: SHAPE })
  return rows[0]?.shape ?? ''
}
