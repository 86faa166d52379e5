import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Database } from '../../store/database.ts'
import { insertRefusals, type RefusedRow } from '../../store/refused-requests.ts'
import { storableText } from '../../store/storable-text.ts'
import type { Refusal } from '../errors.ts'
import type { ClientRequestHead } from '../http-types.ts'
import type { Authenticate, Caller } from './authenticate.ts'

/** Rows per token and minute. A client in a loop leaves no more rows than this. */
export const REFUSALS_PER_MINUTE_MAX = 5
/** Tokens with rows per minute: bounds memory and writes. */
const TOKENS_PER_MINUTE_MAX = 2000
/** Rows of this time are written together. */
export const WRITE_AFTER_MS = 2000
const MINUTE_MS = 60_000
const TEXT_LENGTH_MAX = 2000
const NAME_LENGTH_MAX = 200

/** Refusals that the owner of a key can do something about. */
const STATUSES = new Set([401, 402, 403, 429])
/** Refusals of other statuses that the operator can do something about. */
const CODES: ReadonlySet<string | null> = new Set(['model_price_unset'])

const isLogged = ({ status, code }: Refusal) => STATUSES.has(status) || CODES.has(code)

/** What the log has of a request that is refused. */
export type RequestSummary = {
  model: string
  /** Empty for requests that are never charged. */
  endpoint: string
  isStream: boolean
  /** The ledger writes its row. */
  hasRow: boolean
}

type Arrived = {
  readonly request: ClientRequestHead
  readonly requestId: string
  readonly arrivedAt: number
  readonly summary: RequestSummary
}

type Deps = {
  readonly database: Database
  readonly settings: Settings
  readonly authenticate: Pick<Authenticate, 'caller'>
  readonly log: Logger
  readonly clock: Clock
}

/**
 * Writes requests that were refused before a hold into the log of their owner. They cost nothing
 * and are in no rollup. Rows are written together, after the answers.
 */
export class RefusedRequests {
  readonly #deps: Deps
  #rows: RefusedRow[] = []
  #minute = 0
  readonly #counts = new Map<number, number>()
  #isScheduled = false
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Call after the answer. A key without an owner leaves no row. */
  async note(arrival: Arrived, refusal: Refusal): Promise<void> {
    const { summary, request } = arrival
    if (summary.endpoint === '' || summary.hasRow || !isLogged(refusal)) return
    if (!this.#deps.settings.current().LogErrorEnabled) return
    try {
      // The request was refused, so its caller is in the cache or unknown.
      const caller = await this.#deps.authenticate.caller(request)
      if (this.#take(caller.token.id)) this.#add(rowOf(caller, arrival, refusal))
    } catch {
      // The key has no owner, or the database is unavailable.
    }
  }

  /** Writes what was noted; resolves when it is written. */
  flushed(): Promise<void> {
    const rows = this.#rows
    this.#rows = []
    this.#isScheduled = false
    if (rows.length > 0) this.#writing = this.#writing.then(() => this.#write(rows))
    return this.#writing
  }

  #take(tokenId: number): boolean {
    const minute = Math.floor(this.#deps.clock.now() / MINUTE_MS)
    if (minute !== this.#minute) this.#counts.clear()
    this.#minute = minute
    const count = this.#counts.get(tokenId) ?? 0
    if (count >= REFUSALS_PER_MINUTE_MAX) return false
    if (count === 0 && this.#counts.size >= TOKENS_PER_MINUTE_MAX) return false
    this.#counts.set(tokenId, count + 1)
    return true
  }

  #add(row: RefusedRow) {
    this.#rows.push(row)
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#deps.clock.after(WRITE_AFTER_MS, () => void this.flushed()).unref()
  }

  async #write(rows: readonly RefusedRow[]) {
    const { database, log } = this.#deps
    await database
      .transaction((tx) => insertRefusals(tx, rows))
      .catch((error: unknown) => log.error({ error }, 'refused requests could not be logged'))
  }
}

function rowOf({ user, token }: Caller, arrival: Arrived, refusal: Refusal): RefusedRow {
  const { summary, requestId, arrivedAt } = arrival
  return {
    user_id: user.id,
    username: user.username,
    token_id: token.id,
    token_name: token.name,
    created_at: Math.floor(arrivedAt / 1000),
    request_id: requestId,
    model_name: storableText(summary.model, NAME_LENGTH_MAX),
    endpoint: summary.endpoint,
    is_stream: summary.isStream ? 1 : 0,
    end_reason: refusal.code ?? '',
    content: storableText(refusal.message, TEXT_LENGTH_MAX),
  }
}
