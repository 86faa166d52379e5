/*
 * A database server on its own machine: SQLite in memory, with one transaction at a time.
 * Statements run synchronously, so that a simulation needs no threads and no real time.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { QueryResult } from 'kysely'
import { bindable, SqliteError, type SqliteQuery } from '../../src/store/sqlite-thread.ts'

type Waiter = { isReading: boolean; run: () => void }

/**
 * The current writer: a client, whose half-done transaction others would see, or the server alone,
 * which completes what a disconnected client has sent.
 */
type Writer = 'nobody' | 'client' | 'server'

export class MemoryServer {
  #database = new DatabaseSync(':memory:')
  readonly #statements = new Map<string, StatementSync>()
  #writer: Writer = 'nobody'
  #waiting: Waiter[] = []
  isDown = false

  backUp(): Uint8Array {
    return this.#database.serialize()
  }

  /** Replaces everything with the result of `backUp`. */
  restore(image: Uint8Array) {
    this.#statements.clear()
    this.#database.close()
    this.#database = new DatabaseSync(':memory:')
    this.#database.deserialize(image)
    this.#database.exec('PRAGMA case_sensitive_like = ON')
  }

  /** Stops at the first query that fails. */
  execute(queries: readonly SqliteQuery[]): QueryResult<unknown>[] {
    return queries.map((query) => this.#run(query))
  }

  ask<Row>(sql: string): Row[] {
    const [result] = this.execute([{ sql, parameters: [] }])
    return (result?.rows ?? []) as Row[] // safe because the caller knows its own statement
  }

  /** Calls back once, when no transaction is writing. */
  whenFree(run: () => void) {
    this.#waiting.push({ isReading: false, run })
    this.#next()
  }

  /** Calls back once, when a reader would see no half-done transaction. */
  whenReadable(run: () => void) {
    this.#waiting.push({ isReading: true, run })
    this.#next()
  }

  set writer(writer: Writer) {
    this.#writer = writer
    this.#next()
  }

  #next() {
    const index = this.#waiting.findIndex(({ isReading }) =>
      isReading ? this.#writer !== 'client' : this.#writer === 'nobody',
    )
    if (index === -1) return
    const [next] = this.#waiting.splice(index, 1)
    next?.run()
    this.#next()
  }

  #run({ sql, parameters, rows }: SqliteQuery): QueryResult<unknown> {
    const given: readonly (readonly unknown[])[] = rows ?? [parameters]
    try {
      const statement = this.#prepare(sql)
      const [first = [], ...others] = given.map((row) => row.map(bindable))
      if (statement.columns().length > 0) {
        return { rows: statement.all(...first) }
      }
      const results = [first, ...others].map((row) => statement.run(...row))
      const { changes = 0, lastInsertRowid = 0 } = results.at(-1) ?? {}
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      throw new SqliteError(error.message, 'errcode' in error ? Number(error.errcode) : 0)
    }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
