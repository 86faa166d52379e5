import type { Settings } from '../../settings/settings.ts'
import { Refusal } from '../refusal.ts'
import { linesOf } from './limit-lines.ts'
import type { LimitedCaller, LimitLine, LimitState, LimitStore, Measure } from './limit-store.ts'
import { durationText, rateHeaders } from './rate-headers.ts'

const BYTES_PER_TOKEN = 4
const MS = 1000

/** Of text, which has a token per byte at most, and usually one for four. */
export const usualTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN)

type AdmissionDeps = {
  readonly store: LimitStore
  readonly settings: Pick<Settings, 'current'>
  readonly requestId: string
  /** What shows its caller how much is left. */
  readonly response: {
    readonly headersSent: boolean
    setHeader: (name: string, value: string) => unknown
  }
}

/** A session takes its place once, and each of its responses counts for itself, whenever its prompt grows. */
export type Counted = 'all' | 'place' | 'rates' | 'tokens'

const MEASURES: Readonly<Record<Counted, readonly Measure[]>> = {
  all: ['requests', 'tokens', 'concurrent'],
  place: ['concurrent'],
  rates: ['requests', 'tokens'],
  tokens: ['tokens'],
}

/** What a request takes of its caller's limits, from its arrival to its last byte. */
export class Admission {
  readonly #deps: AdmissionDeps
  #finish: ((tokens: number) => void) | null = null
  #tokens = 0

  constructor(deps: AdmissionDeps) {
    this.#deps = deps
  }

  /**
   * Throws a refusal when one of the limits is reached; nothing has been taken then. `promptTokens`, an estimate, is only
   * asked where tokens are limited.
   */
  async take(
    caller: LimitedCaller,
    promptTokens: () => number,
    counted: Counted = 'all',
  ): Promise<void> {
    const { store, settings, requestId, response } = this.#deps
    const measures = MEASURES[counted]
    const lines = linesOf(settings.current(), caller, { measures, tokens: promptTokens })
    if (lines.length === 0) return
    const taken = store.take(requestId, lines)
    const { states, finish } = taken instanceof Promise ? await taken : taken
    this.#finish = finish
    for (const [name, value] of rateHeaders(lines, states, finish !== null)) {
      if (!response.headersSent) response.setHeader(name, value)
    }
    if (finish === null) throw refusalOf(lines, states, caller)
  }

  /** What was estimated on the way in is corrected to this at the end; without it, to nothing. */
  count(tokens: number) {
    this.#tokens = tokens
  }

  end() {
    this.#finish?.(this.#tokens)
    this.#finish = null
  }
}

const UNITS: Readonly<Record<Measure, string>> = {
  requests: 'requests per min (RPM)',
  tokens: 'tokens per min (TPM)',
  concurrent: 'requests at once',
}

/** Of the limit that has to be waited for longest; where waiting does not help it says so. */
function refusalOf(
  lines: readonly LimitLine[],
  states: readonly LimitState[],
  { group }: LimitedCaller,
): Refusal {
  const [longest] = lines
    .flatMap((line, index) => {
      const state = states[index]
      return state === undefined ? [] : [{ ...line, ...state }]
    })
    .toSorted(
      (a, b) => Number(b.amount > b.most) - Number(a.amount > a.most) || b.waitMs - a.waitMs,
    )
  if (longest === undefined) throw new Error('refused although nothing is limited')
  const { scope, measure, most, used, amount, waitMs } = longest
  const who = { user: 'this account', token: 'this API key', group: `the group ${group}` }[scope]
  const limit = `for ${who} on ${UNITS[measure]}: Limit ${most}`
  const common = { status: 429, code: 'rate_limit_exceeded' }
  const type = measure === 'tokens' ? 'tokens' : 'requests'
  if (amount > most) {
    return new Refusal({
      ...common,
      type,
      message: `Request too large ${limit}, Requested ${amount}. The prompt has to be shorter.`,
    })
  }
  return new Refusal({
    ...common,
    type,
    message: `Rate limit reached ${limit}, Used ${used}, Requested ${amount}. Please try again in ${durationText(waitMs)}.`,
    retryAfterSeconds: Math.ceil(waitMs / MS),
  })
}
