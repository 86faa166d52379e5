import pg from 'pg'
import { createPostgresDatabase } from './postgres.ts'

type Kept = Awaited<ReturnType<typeof createPostgresDatabase>> & {
  keeper: pg.Client
  /** The schema of the template. */
  shape: string
}

const idle: Kept[] = []

/** Large tables would stay large, because nothing vacuums. */
const TABLE_BYTES_MAX = 1_000_000

/** Ends all sessions, then removes the rows, the clock of a test and the numbers of sequences. */
const CLEAN = `
select pg_terminate_backend(pid, 5000) from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid();
do $$
declare filled regclass;
begin
  set local session_replication_role = replica;
  set local client_min_messages = error;
  drop table if exists public.test_clock;
  drop function if exists public.clock_timestamp();
  for filled in
    select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname not like 'kysely%' and relname <> 'meta' and pg_relation_size(oid) > 0
  loop
    execute format('delete from %s', filled);
  end loop;
  delete from public.meta where name not in ('changes', 'account_changes');
  update public.meta set value = '0' where value <> '0';
  perform setval(seqrelid::regclass, seqstart, false) from pg_sequence
    where pg_sequence_last_value(seqrelid) is not null;
end $$`

/** What deleting rows does not undo. */
const SHAPE = `
select coalesce(max(size), 0) <= ${TABLE_BYTES_MAX} as "isSmall", md5(string_agg(part, ',' order by part)) as shape
from (
  select pg_relation_size(oid) as size, concat_ws(' ', relname, relkind, reltuples) as part
    from pg_class where relnamespace = 'public'::regnamespace
  union all select 0, concat_ws(' ', attrelid::regclass, attname, atttypid, attnotnull)
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and attnum > 0
  union all select 0, proname from pg_proc where pronamespace = 'public'::regnamespace
  union all select 0, concat_ws(' ', tgrelid::regclass, tgname, tgenabled) from pg_trigger
  union all select 0, concat_ws(' ', conrelid::regclass, conname) from pg_constraint
  union all select 0, setconfig::text from pg_db_role_setting
    where setdatabase = (select oid from pg_database where datname = current_database())
) as parts`

/**
 * A copy of the template that serves further tests: emptying it takes a tenth of copying and
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
  return { ...database, keeper, shape: (await shapeOf(keeper)).shape }
}

async function putBack(kept: Kept) {
  try {
    await kept.keeper.query(CLEAN)
    const { isSmall, shape } = await shapeOf(kept.keeper)
    if (isSmall && shape === kept.shape) return void idle.push(kept)
  } catch {
    // Dropping works in any state.
  }
  await kept.keeper.end()
  await kept.drop()
}

async function shapeOf(keeper: pg.Client) {
  const { rows } = await keeper.query<{ isSmall: boolean; shape: string }>(SHAPE)
  return rows[0] ?? { isSmall: false, shape: '' }
}
