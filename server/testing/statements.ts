import pg from 'pg'
import { vi } from 'vitest'
import { SqliteThread } from '../src/store/sqlite-thread.ts'

/** Neither looking for changes of other nodes nor opening a connection belongs to what runs. */
const ASIDE = /"meta"|"options"|pg_backend_pid/

/** What the databases of this process are asked while something runs, in order. */
export async function statementsDuring(run: () => Promise<unknown>): Promise<string[]> {
  const sqlite = vi.spyOn(SqliteThread.prototype, 'execute')
  const postgres = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await run()
    const asked = [
      ...sqlite.mock.calls.flatMap(([queries]) => queries.map(({ sql }) => sql)),
      ...postgres.mock.calls.map(([sql]) => String(sql)),
    ]
    return asked.filter((sql) => !ASIDE.test(sql))
  } finally {
    sqlite.mockRestore()
    postgres.mockRestore()
  }
}
