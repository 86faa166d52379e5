import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'
import { CompiledBatch, CompiledRepeat } from '../../src/store/compiled-batch.ts'
import { sqliteDialectOver } from '../../src/store/sqlite-dialect.ts'
import { SqliteError, type SqliteQuery } from '../../src/store/sqlite-thread.ts'
import type { FakeClock } from '../fakes/fake-clock.ts'
import type { CommitOutcome } from './commit-outcome.ts'
import type { MemoryServer } from './memory-server.ts'
import type { Process } from './process.ts'

export type Link = {
  server: MemoryServer
  process: Process
  timeline: FakeClock
  /** Whether packets are dropped. */
  isCut: () => boolean
  travelMs: () => number
  /**
   * Fixed one-way travel time to a server that others use meanwhile: a transaction takes a round
   * trip per message, but keeps the server to itself for none of them.
   */
  distanceMs?: number | undefined
  fate: () => CommitOutcome
}

const CONNECT_TIMEOUT_MS = 5000
const ANSWER_TIMEOUT_MS = 30_000

const command = (sql: string): SqliteQuery => ({ sql, parameters: [] })

const away = (code: string, message: string) => Object.assign(new Error(message), { code })

const never = <Result>() => new Promise<Result>(() => {})

type Open = { fate: CommitOutcome; statements: SqliteQuery[]; messages: number }

class Connection implements DatabaseConnection {
  readonly #link: Link
  #open: Open | null = null

  constructor(link: Link) {
    this.#link = link
    link.process.onDeath(() => this.#end())
  }

  async begin() {
    const { server, fate } = this.#link
    await this.#reach()
    await this.#whenServed(
      (run) => server.whenFree(run),
      () => {
        server.writer = 'client'
        this.#open = { fate: fate(), statements: [], messages: 0 }
        server.execute([command('begin immediate')])
      },
    )
  }

  commit(): Promise<void> {
    const { server, process, timeline, travelMs, distanceMs } = this.#link
    const open = this.#open
    if (!process.isAlive) return never()
    if (open === null) return Promise.reject(away('ECONNRESET', 'the connection is broken'))
    this.#open = null
    if (open.fate.type === 'late') return this.#commitLate(open.statements, open.fate.milliseconds)
    if (open.fate.type === 'broken') {
      this.#open = open
      this.#end()
      return Promise.reject(away('ECONNRESET', 'the connection is broken'))
    }
    if (distanceMs !== undefined) {
      server.execute([command('commit')])
      server.writer = 'nobody'
      return process.wait(distanceMs * (2 * open.messages + 1))
    }
    return new Promise((resolve, reject) => {
      timeline.after(travelMs(), () => {
        const isRefused = server.isDown || open.fate.type === 'refused'
        server.execute([command(isRefused ? 'rollback' : 'commit')])
        server.writer = 'nobody'
        const isHeard = !isRefused && open.fate.type === 'done'
        process.after(travelMs(), () =>
          isHeard ? resolve() : reject(away('ECONNRESET', 'the connection is broken')),
        )
      })
    })
  }

  async rollback() {
    this.#end()
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const isBatch = query instanceof CompiledBatch
    const statements = (isBatch ? query.queries : [query]).map(statementOf)
    const results = await this.#execute(statements, query.query.kind === 'SelectQueryNode')
    const last = isBatch ? { rows: results.map(({ rows }) => rows) } : results.at(-1)
    // Safe because Kysely compiled the query for this row type.
    return (last ?? { rows: [] }) as QueryResult<Row>
  }

  async #execute(statements: SqliteQuery[], isReading: boolean): Promise<QueryResult<unknown>[]> {
    const { server, process, travelMs } = this.#link
    if (!process.isAlive) return never()
    if (this.#open !== null) return this.#run(this.#open, statements)
    if (!isReading) {
      await this.begin()
      const results = await this.#execute(statements, isReading)
      await this.commit()
      return results
    }
    await this.#reach()
    const results = await this.#whenServed(
      (run) => server.whenReadable(run),
      () => server.execute(statements),
    )
    await process.wait(travelMs())
    return results
  }

  streamQuery(): never {
    throw new Error('streaming is not offered')
  }

  #run(open: Open, statements: SqliteQuery[]) {
    const { fate, statements: earlier } = open
    open.messages += 1
    if (fate.type === 'broken' && earlier.length >= fate.statement) {
      this.#end()
      throw away('ECONNRESET', 'the connection is broken')
    }
    earlier.push(...statements)
    return this.#link.server.execute(statements)
  }

  async #reach() {
    const { server, process, isCut, travelMs } = this.#link
    if (!process.isAlive) return never<void>()
    await process.wait(travelMs())
    if (server.isDown) throw away('ECONNREFUSED', 'nobody listens')
    if (!isCut()) return
    await process.wait(CONNECT_TIMEOUT_MS)
    throw away('ETIMEDOUT', 'timeout exceeded when trying to connect')
  }

  /**
   * Runs `work` when the server serves this client. If the client or the server is down by
   * then, the connection is broken.
   */
  #whenServed<Result>(whenGiven: (run: () => void) => void, work: () => Result): Promise<Result> {
    const { server, process } = this.#link
    return new Promise((resolve, reject) => {
      whenGiven(() => {
        if (!process.isAlive) return
        if (!process.isStopped && !server.isDown) return resolve(work())
        process.after(0, () => reject(away('ECONNRESET', 'the connection is broken')))
      })
    })
  }

  /**
   * The server already has all statements and the commit. No client sees their effect before the
   * server applies them.
   */
  #commitLate(statements: readonly SqliteQuery[], milliseconds: number): Promise<void> {
    const { server, process, timeline } = this.#link
    server.execute([command('rollback')])
    server.writer = 'server'
    timeline.after(milliseconds, () => {
      if (!server.isDown)
        this.#replay([command('begin immediate'), ...statements, command('commit')])
      server.writer = 'nobody'
    })
    return new Promise((_, reject) => {
      const waitsMs = Math.min(milliseconds / 2, ANSWER_TIMEOUT_MS)
      process.after(waitsMs, () => reject(away('ECONNRESET', 'Query read timeout')))
    })
  }

  /** Statements that failed the first time fail again; a later statement undoes their effect. */
  #replay(statements: readonly SqliteQuery[]) {
    for (const statement of statements) {
      try {
        this.#link.server.execute([statement])
      } catch (error) {
        if (!(error instanceof SqliteError)) throw error
      }
    }
  }

  #end() {
    if (this.#open === null) return
    this.#open = null
    this.#link.server.execute([command('rollback')])
    this.#link.server.writer = 'nobody'
  }
}

const statementOf = (query: CompiledQuery): SqliteQuery =>
  query instanceof CompiledRepeat
    ? { sql: query.sql, parameters: [], rows: query.rows }
    : { sql: query.sql, parameters: query.parameters }

class MemoryDriver implements Driver {
  readonly #link: Link

  constructor(link: Link) {
    this.#link = link
  }

  async init() {}

  async acquireConnection() {
    return new Connection(this.#link)
  }

  async beginTransaction(connection: DatabaseConnection) {
    if (connection instanceof Connection) await connection.begin()
  }

  async commitTransaction(connection: DatabaseConnection) {
    if (connection instanceof Connection) await connection.commit()
  }

  async rollbackTransaction(connection: DatabaseConnection) {
    if (connection instanceof Connection) await connection.rollback()
  }

  async releaseConnection() {}

  async destroy() {}
}

/** Kysely on a server in memory, over a connection that may fail. */
export const memoryDialect = (link: Link): Dialect =>
  sqliteDialectOver(() => new MemoryDriver(link))
