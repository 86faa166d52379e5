import { openTarget } from '../../src/commands/import/open-target.ts'
import { runImport } from '../../src/commands/import/run-import.ts'
import { openSource } from '../../src/commands/import/sources/open-source.ts'
import type { Source } from '../../src/commands/import/sources/source.ts'
import { audit } from '../../src/ledger/audit/audit.ts'
import { readEnv } from '../../src/process/env.ts'
import type { Database } from '../../src/store/database.ts'
import { type DatabaseKind, openTestDatabase } from '../harness/databases.ts'

export const SECRET_KEY = 'a master key of the tests'

export type ImportWorld = Awaited<ReturnType<typeof openImportWorld>>

type LogPages = {
  /** Rows in a transaction. */
  readonly inBatch: number
  /** Called before a row is read. */
  readonly before?: (index: number) => Promise<void>
}

type Options = {
  isDryRun?: boolean
  name?: string
  failsAt?: number
  deadlocks?: boolean
  /** Reads the log row by row. */
  logPages?: LogPages | null
}

/** A new installation that other gateways are imported into. */
export async function openImportWorld(kind: DatabaseKind) {
  const place = await openTestDatabase(kind)
  const { startSqlite } = place
  const env = readEnv({ DATA_DIR: place.dataDir, DATABASE_URL: place.databaseUrl, SECRET_KEY })
  /** Opens the installation as a command does, and closes it afterwards. */
  const within = async <Result>(run: (database: Database) => Promise<Result>): Promise<Result> => {
    const { context, close } = await openTarget(env, {
      name: 'reader',
      isDryRun: true,
      startSqlite,
    })
    try {
      return await run(context.database)
    } finally {
      await close()
    }
  }
  const { close } = await openTarget(env, { name: 'first start', isDryRun: false, startSqlite })
  await close()
  return {
    env,
    place,
    within,
    /** The lines of the report. */
    importFrom: async (
      from: readonly string[],
      {
        isDryRun = false,
        name = 'old',
        failsAt = Infinity,
        deadlocks = false,
        logPages = null,
      }: Options = {},
    ) => {
      const topics: [string, string][] = []
      const source = await openSource({ from, logs: undefined }, (topic, detail) => {
        topics.push([topic, detail])
      })
      const { context, close } = await openTarget(env, { name, isDryRun, startSqlite })
      const database = failing(context.database, { failsAt, deadlocks })
      const pieces = logPages === null ? {} : { logBatchRows: logPages.inBatch }
      try {
        await runImport(
          { ...context, database, ...pieces },
          logPages === null
            ? source
            : { ...source, logs: (cursor) => rowByRow(source.logs(cursor), logPages.before) },
        )
        for (const [topic, detail] of topics) context.report.tell(topic, detail)
        return context.report.lines()
      } finally {
        await close()
        await source.close()
      }
    },
    audit: () => within((database) => audit(database)),
    close: place.close,
  }
}

type Failures = { failsAt: number; deadlocks: boolean }

/** A database on which a transaction fails at its end, or each has a deadlock at first. */
function failing(database: Database, { failsAt, deadlocks }: Failures): Database {
  let count = 0
  return {
    ...database,
    changeAccounts: (run) => {
      let isFirst = true
      return database.changeAccounts(async (tx) => {
        const result = await run(tx)
        if (deadlocks && isFirst) {
          isFirst = false
          throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
        }
        count += 1
        if (count === failsAt) throw new Error('the power is cut')
        return result
      })
    },
  }
}

type Pages = ReturnType<Source['logs']>

/** Pages of a row each. Their cursor is the number of the row, as the tests number them. */
async function* rowByRow(pages: Pages, before: LogPages['before'] = async () => {}) {
  for await (const { rows, cursor } of pages) {
    const first = Number(cursor) - rows.length + 1
    for (const [index, row] of rows.entries()) {
      await before(index)
      yield { rows: [row], cursor: String(first + index) }
    }
  }
}
