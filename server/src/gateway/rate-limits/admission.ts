import type { Settings } from '../../settings/settings.ts'
import { Refusal } from '../errors.ts'
import { type AdmissionStep, linesOf } from './limit-lines.ts'
import type {
  ArrivingCaller,
  LimitedCaller,
  LimitLine,
  LimitStore,
  Measure,
  Verdict,
} from './limit-store.ts'
import { afterTaking, durationText, type Rated, setRateHeaders } from './rate-headers.ts'

const BYTES_PER_TOKEN = 4
const MS = 1000

/**
 * Estimates the tokens of a text: four bytes per token is typical, one byte per token the extreme.
 */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN)

type AdmissionDeps = {
  readonly store: LimitStore
  readonly settings: Pick<Settings, 'current'>
  readonly requestId: string
  readonly response: {
    readonly headersSent: boolean
    setHeader: (name: string, value: string) => unknown
  }
}

type Taken = Rated & Pick<Verdict, 'taking'>

const UNKNOWN_PROMPT = () => 1

/** Rate limit admission of one request, from arrival to its last byte. */
export class Admission {
  readonly #deps: AdmissionDeps
  #arrived: Taken | null = null
  #taken: Taken | null = null
  #isGroupKnown = true
  #tokens = 0

  constructor(deps: AdmissionDeps) {
    this.#deps = deps
  }

  /**
   * Takes what does not depend on the body: requests and concurrency, including the group's if
   * known. Throws a refusal if a limit is reached, token limits included; nothing is taken then.
   */
  takeOnArrival(caller: ArrivingCaller): Promise<void> | undefined {
    const { store, settings, requestId } = this.#deps
    this.#isGroupKnown = caller.group !== null
    const step = { step: 'arrival', tokens: UNKNOWN_PROMPT } as const
    const lines = linesOf(settings.current(), caller, step)
    if (lines.length === 0) return undefined
    const verdict = store.take(requestId, lines)
    if (verdict instanceof Promise) return verdict.then((decided) => this.#arrive(lines, decided))
    return this.#arrive(lines, verdict)
  }

  /**
   * Takes the rest once the serving group is known. Throws a refusal if a limit is reached; nothing
   * more is taken then. The request taken on arrival still counts because its body was read.
   */
  takeAfterRouting(caller: LimitedCaller, promptTokens: () => number): Promise<void> | undefined {
    return this.take(caller, promptTokens, this.#isGroupKnown ? 'prompt' : 'promptAndGroup')
  }

  /**
   * Takes everything at once, or only the part named by `step`. Throws like `takeAfterRouting`.
   * `promptTokens` is an estimate and is evaluated only if tokens are limited.
   */
  take(
    caller: LimitedCaller,
    promptTokens: () => number,
    step: AdmissionStep = 'all',
  ): Promise<void> | undefined {
    const { store, settings, requestId } = this.#deps
    const lines = linesOf(settings.current(), caller, { step, tokens: promptTokens })
    if (lines.length === 0) {
      if (this.#arrived !== null) this.#show([this.#arrived], true)
      return undefined
    }
    const verdict = store.take(requestId, lines)
    if (verdict instanceof Promise) return verdict.then((decided) => this.#take(lines, decided))
    return this.#take(lines, verdict)
  }

  /** Sets the tokens that replace the estimate at the end. Without a call the count becomes 0. */
  count(tokens: number) {
    this.#tokens = tokens
  }

  end() {
    this.#arrived?.taking?.finish(this.#tokens)
    this.#taken?.taking?.finish(this.#tokens)
    this.#arrived = null
    this.#taken = null
  }

  #arrive(lines: readonly LimitLine[], { states, taking }: Verdict): undefined {
    const arrived = { lines, states, taking }
    if (taking === null) {
      this.#show([arrived], false)
      throw refusalOf(arrived)
    }
    // The headers are set after the rest has been taken as well.
    this.#arrived = arrived
  }

  #take(lines: readonly LimitLine[], { states, taking }: Verdict): undefined {
    const taken = { lines, states, taking }
    const arrived = this.#arrived
    if (taking !== null) {
      this.#show(arrived === null ? [taken] : [taken, arrived], true)
      this.#taken = taken
      return
    }
    this.#show(arrived === null ? [taken] : [taken, afterTaking(arrived)], false)
    arrived?.taking?.finish(0)
    this.#arrived = null
    throw refusalOf(taken)
  }

  #show(rated: readonly Rated[], isAdmitted: boolean) {
    const { response } = this.#deps
    if (!response.headersSent) setRateHeaders(response, rated, isAdmitted)
  }
}

const UNITS: Readonly<Record<Measure, string>> = {
  requests: 'requests per min (RPM)',
  tokens: 'tokens per min (TPM)',
  concurrent: 'concurrent requests',
}

/** Reports the limit with the longest wait. A request that can never fit says so. */
function refusalOf({ lines, states }: Rated): Refusal {
  const [longest] = lines
    .flatMap((line, index) => {
      const state = states[index]
      return state === undefined ? [] : [{ ...line, ...state }]
    })
    .toSorted((a, b) => Number(b.amount > b.max) - Number(a.amount > a.max) || b.waitMs - a.waitMs)
  if (longest === undefined) throw new Error('refused although nothing is limited')
  const { scope, id, measure, max, used, amount, waitMs } = longest
  const who = { user: 'this account', token: 'this API key', group: `the group ${id}` }[scope]
  const limit = `for ${who} on ${UNITS[measure]}: Limit ${max}`
  const common = { status: 429, code: 'rate_limit_exceeded' }
  const type = measure === 'tokens' ? 'tokens' : 'requests'
  if (amount > max) {
    return new Refusal({
      ...common,
      type,
      message: `Request too large ${limit}, Requested ${amount}. Shorten the prompt.`,
    })
  }
  return new Refusal({
    ...common,
    type,
    message: `Rate limit reached ${limit}, Used ${used}, Requested ${amount}. Please try again in ${durationText(waitMs)}.`,
    retryAfterSeconds: Math.ceil(waitMs / MS),
  })
}
