import { pg } from './pg.ts'
import { hostsOf, targetsOf } from './postgres-targets.ts'

/** Set on every connection, to detect a server that disappears without closing it. */
export const POSTGRES_LIVELINESS = {
  connectionTimeoutMillis: 5000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} as const

/** read_only_sql_transaction: what a standby answers to a write. */
const READ_ONLY = '25006'
const UNSUPPORTED = /unsupported startup parameter/i

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

/**
 * Where an address leads: a server, one of several of which a single one accepts writes, or a
 * pooler. A connection that fails lets the next one try the next server.
 */
export class PostgresServer {
  static readonly #known = new Map<string, PostgresServer>()
  readonly #targets: readonly string[]
  readonly #needsPrimary: boolean
  #index = 0
  #isPooler = false

  private constructor(databaseUrl: string) {
    this.#targets = targetsOf(databaseUrl)
    const takesAny = /[?&]target_session_attrs=any\b/.test(databaseUrl)
    this.#needsPrimary = hostsOf(databaseUrl).length > 1 && !takesAny
  }

  /** The same for all connections of the process, which move to another server together. */
  static at(databaseUrl: string): PostgresServer {
    const server = this.#known.get(databaseUrl) ?? new PostgresServer(databaseUrl)
    this.#known.set(databaseUrl, server)
    return server
  }

  get address(): string {
    return this.#targets[this.#index] ?? ''
  }

  /** A pooler lends a connection per transaction and accepts no time limits at its start. */
  get isPooler(): boolean {
    return this.#isPooler
  }

  /** Finds a server that accepts connections, if there is a choice. Throws what the last said. */
  async choose(): Promise<void> {
    if (this.#targets.length === 1) return
    let failure: unknown
    for (let tried = 0; tried < this.#targets.length; tried += 1) {
      try {
        const client = this.client({})
        await client.connect()
        return await client.end()
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  /** True if the failure shows a pooler that was not known as one; the caller connects again. */
  noticePooler(error: unknown): boolean {
    const isNew = !this.#isPooler && error instanceof Error && UNSUPPORTED.test(error.message)
    if (isNew) this.#isPooler = true
    return isNew
  }

  client(config: pg.ClientConfig): pg.Client {
    return new (this.clientClass())(config)
  }

  /** For a pool, whose clients connect to the server of the moment. */
  clientClass(): new (config?: pg.ClientConfig) => pg.Client {
    const leave = (address: string) => this.#leave(address)
    const read = () => ({ address: this.address, needsPrimary: this.#needsPrimary })
    return class extends pg.Client {
      readonly #place = read()

      constructor(config: pg.ClientConfig = {}) {
        super({ ...POSTGRES_LIVELINESS, ...config, connectionString: read().address })
      }

      override connect(): Promise<pg.Client>
      override connect(callback: Connected): void
      override connect(callback?: Connected): Promise<pg.Client> | void {
        if (callback === undefined) return this.#connectHere()
        // Safe because a callback takes either an error, or null and the client.
        void this.#connectFor(callback as (error: unknown, client?: pg.Client) => void)
      }

      async #connectFor(done: (error: unknown, client?: pg.Client) => void) {
        try {
          await this.#connectHere()
        } catch (error) {
          return done(error)
        }
        done(null, this)
      }

      async #connectHere(): Promise<pg.Client> {
        try {
          await super.connect()
          if (this.#place.needsPrimary) await this.#requirePrimary()
          return this
        } catch (error) {
          leave(this.#place.address)
          throw error
        }
      }

      async #requirePrimary() {
        const answer = await this.query<{ standby: boolean }>(
          'select pg_is_in_recovery() as standby',
        )
        if (answer.rows[0]?.standby !== true) return
        await this.end()
        throw Object.assign(new Error('the server is a standby'), { code: READ_ONLY })
      }
    }
  }

  #leave(address: string) {
    if (address === this.address) this.#index = (this.#index + 1) % this.#targets.length
  }
}
