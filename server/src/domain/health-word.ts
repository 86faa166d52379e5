import {
  CHANNEL_STATUS,
  type HealthHelp,
  type HealthWord,
  type InBoth,
  type TestOutcome,
} from '@tollgate/contract'
import * as texts from './health-reasons.ts'

/** Two hours by the clock: the current one may have just begun. */
export const RECENT_HOURS = 2
/** A single failure says little about a channel; three in a row also open the circuit breaker. */
export const FAULTS_MIN = 3
/** Below one half, a request is more likely to fail than to be answered. */
export const FAILING_SHARE = 0.5
/**
 * Large providers fail one request in a hundred at ordinary times, so one in twenty is a sign. With
 * fewer attempts than these, a single failure would exceed it.
 */
export const DEGRADED_SHARE = 0.95
export const DEGRADED_ATTEMPTS_MIN = 20
/** A longer wait for a first token is noticed, whatever the model. */
const SLOW_MS = 10_000
/** Reasoning models are slow by nature; a change against their own day is what matters. */
const SLOWER_MS = 3000
const SLOWER_FACTOR = 2
/** A median of fewer answers is chance. */
const SLOW_ANSWERS_MIN = 5

export type Fault = {
  readonly hour: number
  readonly kind: string
  readonly reason: InBoth
  readonly faults: number
  readonly last_at: number
}

export type HealthInput = {
  readonly status: number
  readonly status_reason: InBoth
  readonly status_time: number
  readonly test_outcome: TestOutcome
  readonly test_error: InBoth
  readonly test_time: number
  readonly response_time: number
  /** Models that their vendor has shut down. */
  readonly shutModels: readonly string[]
  /** Answered requests by hour since the epoch, of the last 24 hours. */
  readonly answers: readonly { readonly hour: number; readonly answers: number }[]
  /** Failed attempts of the last 24 hours, the latest last. */
  readonly faults: readonly Fault[]
  /** Medians to the first token; null without values. */
  readonly recentMs: number | null
  readonly recentTimes: number
  readonly usualMs: number | null
  /** Models that the circuit breaker skips, of all models of the channel. */
  readonly cooling: { readonly models: number; readonly of: number; readonly untilMs: number }
  /** The current hour since the epoch. */
  readonly hour: number
}

export type Health = {
  readonly word: HealthWord
  readonly reason: InBoth
  readonly since: number
  readonly help: HealthHelp
}

const SECONDS_PER_HOUR = 3600

/** Finds the word for a channel: the first that holds, the worst first. */
export function judgeHealth(input: HealthInput): Health {
  return (
    switchedOff(input) ??
    cooling(input, true) ??
    failing(input) ??
    cooling(input, false) ??
    slow(input) ??
    degraded(input) ??
    quiet(input)
  )
}

function switchedOff(input: HealthInput): Health | null {
  const { status, status_reason, status_time, test_outcome, test_time } = input
  if (status === CHANNEL_STATUS.enabled) return null
  if (status !== CHANNEL_STATUS.autoDisabled) {
    return { word: 'off', reason: texts.disabledByHand, since: status_time, help: 'enable' }
  }
  const reason = status_reason.en === '' ? texts.disabledAutomatically : status_reason
  // A test of a slow channel passes: its key is good.
  const hasPassed = test_outcome === 'passed' && test_time >= status_time
  return { word: 'failing', reason, since: status_time, help: hasPassed ? 'enable' : 'key' }
}

/** A channel at its rate limit is resting rather than failing, although its attempts fail. */
const RESTING: ReadonlySet<string> = new Set(['rate_limit', 'overloaded'])

function cooling(input: HealthInput, onlyResting: boolean): Health | null {
  const { models, of, untilMs } = input.cooling
  if (models === 0) return null
  const last = currentFaults(input).at(-1)
  if (onlyResting && !RESTING.has(last?.kind ?? '')) return null
  const reason = texts.cooling({ models, of, untilMs, last: last?.reason ?? null })
  return { word: 'cooling', reason, since: last?.last_at ?? 0, help: '' }
}

function failing(input: HealthInput): Health | null {
  const faults = currentFaults(input)
  const failed = sum(faults.map((fault) => fault.faults))
  const answered = sum(recent(input, input.answers).map(({ answers }) => answers))
  const last = faults.at(-1)
  if (last !== undefined && failed >= FAULTS_MIN && shareOf(answered, failed) < FAILING_SHARE) {
    const reason = texts.attemptsFailed({ failed, of: failed + answered, last: last.reason })
    return { word: 'failing', reason, since: failingSince(input), help: helpFor(last.kind) }
  }
  if (input.test_outcome !== 'failed' || hasAnswered(input)) return null
  const reason = texts.testFailed(input.test_error)
  return { word: 'failing', reason, since: input.test_time, help: 'test' }
}

const hasAnswered = ({ hour, answers }: HealthInput) =>
  answers.filter(within(hour)).some((row) => row.answers > 0)

const KEY_KINDS: ReadonlySet<string> = new Set(['auth', 'quota', 'permission'])

function helpFor(kind: string): HealthHelp {
  if (KEY_KINDS.has(kind)) return 'key'
  return kind === 'model_missing' ? 'models' : 'test'
}

/** The first of the latest hours in a row in which most attempts failed. */
function failingSince({ answers, faults, hour }: HealthInput): number {
  const inHour = (at: number) => ({
    answered: sum(answers.filter((one) => one.hour === at).map((one) => one.answers)),
    failed: sum(faults.filter((one) => one.hour === at).map((one) => one.faults)),
  })
  let since = hour
  for (let at = hour; at > hour - HOURS_PER_DAY; at -= 1) {
    const { answered, failed } = inHour(at)
    if (answered + failed === 0) continue
    if (shareOf(answered, failed) >= FAILING_SHARE) break
    since = at
  }
  return since * SECONDS_PER_HOUR
}

const HOURS_PER_DAY = 24

function slow({ recentMs, recentTimes, usualMs, hour }: HealthInput): Health | null {
  if (recentMs === null || recentTimes < SLOW_ANSWERS_MIN) return null
  const isSlower = usualMs !== null && recentMs >= SLOWER_MS && recentMs >= usualMs * SLOWER_FACTOR
  if (recentMs < SLOW_MS && !isSlower) return null
  const reason = texts.slow(recentMs, isSlower ? usualMs : null)
  const since = (hour - RECENT_HOURS + 1) * SECONDS_PER_HOUR
  return { word: 'slow', reason, since, help: 'test' }
}

function degraded(input: HealthInput): Health | null {
  const faults = currentFaults(input)
  const failed = sum(faults.map((fault) => fault.faults))
  const answered = sum(recent(input, input.answers).map(({ answers }) => answers))
  const last = faults.at(-1)
  const isEnough = failed + answered >= DEGRADED_ATTEMPTS_MIN
  const isMany = failed >= FAULTS_MIN && shareOf(answered, failed) < DEGRADED_SHARE
  if (last !== undefined && isEnough && isMany) {
    const reason = texts.attemptsFailed({ failed, of: failed + answered, last: last.reason })
    return { word: 'degraded', reason, since: last.last_at, help: helpFor(last.kind) }
  }
  if (input.test_outcome === 'failed') {
    const reason = texts.testFailed(input.test_error)
    return { word: 'degraded', reason, since: input.test_time, help: 'test' }
  }
  if (input.shutModels.length === 0) return null
  return { word: 'degraded', reason: texts.shutDown(input.shutModels), since: 0, help: 'models' }
}

/** Nothing is wrong; a channel without a test and requests is unknown. */
function quiet(input: HealthInput): Health {
  const { test_outcome, test_time, response_time } = input
  const answered = sum(input.answers.map(({ answers }) => answers))
  const failed = sum(input.faults.map((fault) => fault.faults))
  if (answered > 0) {
    const reason = texts.answered({ answered, of: answered + failed })
    return { word: 'healthy', reason, since: 0, help: '' }
  }
  if (test_outcome === 'passed') {
    return { word: 'healthy', reason: texts.testPassed(response_time), since: test_time, help: '' }
  }
  const last = input.faults.at(-1)
  if (last !== undefined) {
    const reason = texts.attemptsFailed({ failed, of: failed, last: last.reason })
    return { word: 'untested', reason, since: last.last_at, help: 'test' }
  }
  const isUntestable = test_outcome === 'untestable'
  const reason = isUntestable ? texts.untestable(input.test_error) : texts.untested
  return { word: 'untested', reason, since: isUntestable ? test_time : 0, help: 'test' }
}

/** Recent faults. A test that passed after them shows that they are over. */
function currentFaults(input: HealthInput): readonly Fault[] {
  const faults = recent(input, input.faults)
  const { test_outcome, test_time } = input
  return test_outcome === 'passed' ? faults.filter(({ last_at }) => last_at > test_time) : faults
}

type Hourly = { readonly hour: number }

/** A channel without recent attempts is as its last attempts were. */
function recent<Row extends Hourly>(input: HealthInput, rows: readonly Row[]): readonly Row[] {
  const { hour, answers, faults } = input
  const attempts = [...answers, ...faults]
  const last = attempts.reduce((latest, row) => Math.max(latest, row.hour), 0)
  const hasRecent = attempts.length === 0 || last > hour - RECENT_HOURS
  return rows.filter(within(hasRecent ? hour : last))
}

const within = (last: number) => (row: Hourly) => row.hour > last - RECENT_HOURS && row.hour <= last

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

const shareOf = (answered: number, failed: number) => answered / (answered + failed)
