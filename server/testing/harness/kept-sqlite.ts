import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { SQLITE_FILE } from '../../src/store/database.ts'
import type {
  SqliteExecutor,
  SqliteResult,
  SqliteStart,
} from '../../src/store/sqlite-connection.ts'
import { bindable, type StartSqlite } from '../../src/store/sqlite-thread.ts'
import { openInlineSqlite, serveInline } from './inline-sqlite.ts'

/** A larger file takes longer to empty than to copy. */
const PAGES_MAX = 2000

const idle: KeptSqlite[] = []

/**
 * A copy of the template that serves further tests, with its connections: reading the schema and
 * preparing the statements takes longer than removing the rows. A database whose schema a test has
 * changed, or that a test still uses, is dropped. The folder of the template has all copies, so
 * they are removed with it.
 */
export async function takeKeptSqlite(template: string) {
  const kept = idle.pop() ?? (await KeptSqlite.open(template))
  // A world may be closed twice, but two tests may not get the same database.
  let closing: Promise<void> | null = null
  const close = () => (closing ??= putBack(kept))
  return { dataDir: kept.dataDir, startSqlite: kept.start, close }
}

async function putBack(kept: KeptSqlite) {
  // A database that another process still uses may be locked.
  if (await kept.empty().catch(() => false)) idle.push(kept)
  else await kept.drop()
}

class KeptSqlite {
  readonly dataDir: string
  readonly #spare: Record<SqliteStart['role'], SqliteExecutor[]> = { writer: [], reader: [] }
  #usedCount = 0
  #isDropped = false
  /** The first state: the version of the schema, and the rows of the tables that have some. */
  readonly #version: string
  readonly #rows: (readonly [table: string, rows: unknown[][]])[]
  readonly #tables: string[]

  static async open(template: string): Promise<KeptSqlite> {
    const dataDir = await mkdtemp(path.join(path.dirname(template), 'kept-'))
    await copyFile(template, path.join(dataDir, SQLITE_FILE))
    return new KeptSqlite(dataDir)
  }

  constructor(dataDir: string) {
    this.dataDir = dataDir
    const writer = openInlineSqlite({ file: path.join(dataDir, SQLITE_FILE), role: 'writer' })
    this.#spare.writer.push(writer)
    this.#version = versionOf(writer)
    this.#rows = FILLED.map((table) => [table, rowsOf(writer, `select * from ${table}`)] as const)
    this.#tables = rowsOf(writer, TABLES).map(String)
  }

  readonly start: StartSqlite = (start) => {
    const spare = this.#spare[start.role]
    const executor = spare.pop() ?? openInlineSqlite(start)
    this.#usedCount += 1
    return serveInline({
      answer: (call) => executor.answer(call),
      close: () => {
        this.#usedCount -= 1
        if (this.#isDropped) return executor.close()
        run(executor, 'rollback')
        spare.push(executor)
      },
    })
  }

  /** Whether the database is as it was at first. */
  async empty(): Promise<boolean> {
    const [writer] = this.#spare.writer
    if (writer === undefined || this.#usedCount > 0) return false
    if (versionOf(writer) !== this.#version) return false
    if (Number(rowsOf(writer, 'pragma page_count')[0]) > PAGES_MAX) return false
    const filled = rowsOf(writer, this.#tables.map(filledOf).join(' union all ')).map(String)
    run(writer, 'begin immediate')
    for (const table of [...filled, ...FILLED]) run(writer, `delete from ${table}`)
    for (const [table, rows] of this.#rows) {
      for (const row of rows) run(writer, `insert into ${table} values (?, ?)`, row)
    }
    run(writer, 'commit')
    await Promise.all((await readdir(this.dataDir)).map((name) => this.#remove(name)))
    return true
  }

  async #remove(name: string) {
    if (name.startsWith(SQLITE_FILE)) return
    await rm(path.join(this.dataDir, name), { recursive: true, force: true })
  }

  async drop() {
    this.#isDropped = true
    for (const executor of [...this.#spare.writer, ...this.#spare.reader]) executor.close()
    await rm(this.dataDir, { recursive: true, force: true })
  }
}

/** Tables of the template with rows, which have two columns. */
const FILLED = ['meta', 'sqlite_sequence']

const TABLES = `
select name from sqlite_master where type = 'table' and name not like 'sqlite%'
  and name not like 'kysely%' and name <> 'meta'`

const filledOf = (table: string) => `select '${table}' where exists (select 1 from ${table})`

const versionOf = (executor: SqliteExecutor) => rowsOf(executor, 'pragma schema_version').join()

const rowsOf = (executor: SqliteExecutor, sql: string) => run(executor, sql).rows

function run(executor: SqliteExecutor, sql: string, values: unknown[] = []): SqliteResult {
  const parameters = [values.map(bindable)]
  const reply = executor.answer({ statements: [{ sql, parameters }] })
  if ('error' in reply) throw new Error(`${sql}: ${reply.error}`)
  const [result] = reply.results
  if (result === undefined) throw new Error('no result')
  return result
}
