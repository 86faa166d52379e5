/*
 * Invariants of the database: after each step, and of everything at the end. The checks do not
 * trust the code under test, except for the audit at the end, which they thereby test.
 */
import { audit } from '../../src/ledger/audit/audit.ts'
import type { SentRequest } from './request.ts'
import { askServer } from './simulated-database.ts'
import type { World } from './world.ts'

const sumOfLeases = (kind: string, owner: string, period: string) => `coalesce((
  select sum(amount) from quota_leases
  where kind = '${kind}' and owner_id = ${owner} and period = ${period}), 0)`

const sumOfMovements = (kind: string, owner: string, charged: string) => `
  coalesce((select sum(amount) from credits where kind = '${kind}' and owner_id = o.id), 0)
  - coalesce((select sum(${charged}) from ledger_days where ${owner} = o.id), 0)`

/** L2 and L3 in their shortest form: each row is a violation. */
const WRONG = `
  select 'L2 user ' || id || ' leases ' || quota_leased || ' of ' || quota as wrong from users
    where quota_leased < 0 or quota_leased > quota
  union all select 'L2 token ' || id || ' leases ' || quota_leased || ' of ' || remain_quota from tokens
    where quota_leased < 0 or quota_leased > remain_quota
  union all select 'L2 budget ' || token_id || ' leases ' || quota_leased || ', spent ' || spent
    || ' of ' || limit_quota from token_budgets
    where quota_leased < 0 or (quota_leased > 0 and spent + quota_leased > limit_quota)
  union all select 'leases of user ' || id from users o
    where quota_leased <> ${sumOfLeases('user', 'o.id', '0')}
  union all select 'leases of token ' || id from tokens o
    where quota_leased <> ${sumOfLeases('token', 'o.id', '0')}
  union all select 'leases of budget ' || token_id from token_budgets o
    where quota_leased <> ${sumOfLeases('budget', 'o.token_id', 'o.period_start')}
  union all select 'leases of run ' || run || ', which is closed' from quota_leases
    where run in (select run from ledger_nodes where closed_at is not null)
  union all select 'L1 run ' || run || ': ' || error from ledger_faults
    where error like '%was charged before%'
  union all select 'L3 user ' || id from users o
    where quota <> ${sumOfMovements('user', 'user_id', 'charged')}
  union all select 'L3 token ' || id from tokens o
    where remain_quota <> ${sumOfMovements('token', 'token_id', 'token_charged')}`

type LogRow = {
  id: number
  request_id: string
  outcome: string
  quota: number
  uncollected: number
  held: number
  late: number
}

const LOG_ROWS = `select id, request_id, outcome, quota, uncollected, held, late from logs`

type EpochRow = { run: string; beat: number; closed_at: number | null; finished_at: number | null }

/** Fifteen minutes, less the time a step may take. */
const SILENT_MS_LEAST = 14.5 * 60_000

/** Keeps what it needs from step to step. */
export class Watch {
  readonly #world: World
  #lastLogId = 0
  #lookedAt = 0
  /** How long the sequence number of each epoch stood still while other epochs advanced. */
  #silent = new Map<string, { beat: number; milliseconds: number }>()

  constructor(world: World) {
    this.#world = world
  }

  look(): string[] {
    const world = this.#world
    const wrong = world.server.ask<{ wrong: string }>(WRONG).map((row) => row.wrong)
    const rows = world.server.ask<LogRow>(
      `${LOG_ROWS} where id > ${this.#lastLogId} and request_id is not null order by id`,
    )
    this.#lastLogId = rows.at(-1)?.id ?? this.#lastLogId
    const wrongRows = rows.flatMap((row) => checkRow(world, row))
    return [...wrong, ...wrongRows, ...this.#checkEpochs(), ...world.complaints]
  }

  /**
   * Peers may close an epoch only after it was silent for 15 minutes in which other epochs were
   * heard.
   */
  #checkEpochs(): string[] {
    const { server, timeline } = this.#world
    const rows = server.ask<EpochRow>('select run, beat, closed_at, finished_at from ledger_nodes')
    const open = rows.filter(({ closed_at: at }) => at === null)
    const isHeard = ({ run, beat }: EpochRow) => this.#silent.get(run)?.beat !== beat
    const isSomebodyHeard = open.some(isHeard)
    const passed = isSomebodyHeard ? timeline.monotonic() - this.#lookedAt : 0
    this.#lookedAt = timeline.monotonic()
    const wrong = rows.flatMap(({ run, closed_at: closed, finished_at: finished }) => {
      const silentMs = this.#silent.get(run)?.milliseconds ?? SILENT_MS_LEAST
      const isAbandoned = closed !== null && finished === null
      return isAbandoned && silentMs + passed < SILENT_MS_LEAST
        ? [`epoch ${run} was closed after a silence of ${silentMs} ms`]
        : []
    })
    const silent = open.map((row) => {
      const before = this.#silent.get(row.run)?.milliseconds ?? 0
      return [
        row.run,
        { beat: row.beat, milliseconds: isHeard(row) ? 0 : before + passed },
      ] as const
    })
    this.#silent = new Map(silent)
    return wrong
  }
}

/** Compares a log row with what its request was promised. */
function checkRow(world: World, row: LogRow): string[] {
  const name = `${row.request_id} (${row.outcome}, ${row.quota} + ${row.uncollected})`
  const request = world.requests.get(row.request_id)
  if (request === undefined) return [`${name} was never sent`]
  if (!Number.isSafeInteger(row.quota) || row.quota < 0) return [`L5 ${name}`]
  if (row.outcome !== 'settled') return row.quota + row.uncollected === 0 ? [] : [`L1 ${name}`]
  const wrong: string[] = []
  if (row.quota + row.uncollected !== request.asked) {
    wrong.push(`L1 ${name} was to be ${request.asked}`)
  }
  if (row.uncollected > 0 && !mayBeUncollected(world, row)) wrong.push(`uncollected: ${name}`)
  return wrong
}

/** Allowed are a cost above the hold, and an end after peers had closed the epoch. */
function mayBeUncollected({ isCalm, wasRestored }: World, row: LogRow): boolean {
  if (isCalm) return false
  if (wasRestored || row.late === 1) return true
  return row.uncollected <= Math.max(0, row.quota + row.uncollected - row.held)
}

/** Runs after everything is healed, applied and closed. */
export async function checkEnd(world: World): Promise<string[]> {
  const differences = await askServer(world.server, audit)
  const excused = [
    'unresolved faults',
    // The account was created after the backup, and the restored database lost it.
    ...(world.wasRestored ? ['records of an account that is gone'] : []),
  ]
  const differing = differences
    .filter(({ what }) => !excused.includes(what))
    .map(({ where, what, found, expected }) => `L3 ${where}: ${what}: ${found}, ${expected}`)
  return [...new Watch(world).look(), ...differing, ...checkRequests(world), ...checkClosed(world)]
}

function checkRequests(world: World): string[] {
  const rows = new Map<string, LogRow[]>()
  for (const row of world.server.ask<LogRow>(LOG_ROWS)) {
    rows.set(row.request_id, [...(rows.get(row.request_id) ?? []), row])
  }
  const faults = world.server.ask<{ record: string }>('select record from ledger_faults')
  const isFaulty = (id: string) => faults.some(({ record }) => record.includes(`"${id}"`))
  return [...world.requests].flatMap(([id, request]) => {
    const found = rows.get(id) ?? []
    if (found.length > 1) return [`L1 ${id} has ${found.length} rows`]
    if (request.excuse !== null || isFaulty(id)) return []
    return checkRequest(request, found[0])
  })
}

function checkRequest(request: SentRequest, row: LogRow | undefined): string[] {
  const { context, asked, admittedAt, promisedAt, node } = request
  const name = `L1 ${context.requestId} at ${node.process.name}`
  if (row === undefined) return admittedAt === null ? [] : [`${name} was admitted and has no row`]
  if (promisedAt === null) return []
  const expected = asked === 'void' ? 'void' : 'settled'
  return row.outcome === expected
    ? []
    : [`${name} was promised to be ${expected} at ${String(asked)} and is ${row.outcome}`]
}

function checkClosed({ server, bookedSources, wasRestored }: World): string[] {
  const open = server.ask<{ run: string }>(
    `select run from ledger_nodes where closed_at is null or run in (select run from quota_leases)`,
  )
  const sources = new Set(
    server.ask<{ source: string }>('select source from credits').map(({ source }) => source),
  )
  const gone = wasRestored ? [] : [...bookedSources].filter((source) => !sources.has(source))
  return [
    ...open.map(({ run }) => `epoch ${run} is open at the end`),
    ...gone.map((source) => `credit ${source} is gone`),
  ]
}
