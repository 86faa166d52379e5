import { sql } from 'kysely'
import type { Database } from '../../src/store/database.ts'

/** Makes inserts into the log fail while `run` runs. `code` is the PostgreSQL error code. */
export async function whileLogFails(
  { kind, kysely }: Database,
  code: string,
  run: () => Promise<void>,
) {
  const onPostgres = [
    `create function fail() returns trigger language plpgsql as $$
      begin raise exception 'the log fails' using errcode = '${code}'; end $$`,
    `create trigger fails before insert on logs for each row execute function fail()`,
  ]
  const onSqlite = [
    `create trigger fails before insert on logs begin select raise(abort, 'the log fails'); end`,
  ]
  const undo =
    kind === 'postgres'
      ? ['drop trigger fails on logs', 'drop function fail']
      : ['drop trigger fails']
  const execute = async (statements: readonly string[]) => {
    for (const statement of statements) await sql.raw(statement).execute(kysely)
  }
  await execute(kind === 'postgres' ? onPostgres : onSqlite)
  try {
    await run()
  } finally {
    await execute(undo)
  }
}
