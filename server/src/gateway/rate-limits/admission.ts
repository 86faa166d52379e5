import type { Settings } from '../../settings/settings.ts'
import { Refusal } from '../errors.ts'
import { type Counted, linesOf } from './limit-lines.ts'
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

type Taken = Rated & Pick<Verdict, 'taking'>

const UNKNOWN_PROMPT = () => 1

/** What a request takes of its caller's limits, from its arrival to its last byte. */
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
   * Takes what does not depend on the body: requests and places, those of the group where it is known.
   * Throws a refusal when one of the limits is reached, also one of tokens; nothing has been taken then.
   */
  arrive(caller: ArrivingCaller): Promise<void> | undefined {
    const { store, settings, requestId } = this.#deps
    this.#isGroupKnown = caller.group !== null
    const counted = { counted: 'arrival', tokens: UNKNOWN_PROMPT } as const
    const lines = linesOf(settings.current(), caller, counted)
    if (lines.length === 0) return undefined
    const verdict = store.take(requestId, lines)
    if (verdict instanceof Promise) return verdict.then((late) => this.#arrive(lines, late))
    return this.#arrive(lines, verdict)
  }

  /**
   * Takes the rest once the group that serves is known. Throws a refusal when one of the limits is
   * reached; nothing of it has been taken then. What was taken on arrival counts, as the body was read for it.
   */
  serve(caller: LimitedCaller, promptTokens: () => number): Promise<void> | undefined {
    return this.take(caller, promptTokens, this.#isGroupKnown ? 'prompt' : 'promptAndGroup')
  }

  /**
   * Takes all at once, or what is said. Throws a refusal as `serve` does. `promptTokens`, an estimate, is
   * only asked where tokens are limited.
   */
  take(
    caller: LimitedCaller,
    promptTokens: () => number,
    counted: Counted = 'all',
  ): Promise<void> | undefined {
    const { store, settings, requestId } = this.#deps
    const lines = linesOf(settings.current(), caller, { counted, tokens: promptTokens })
    if (lines.length === 0) {
      if (this.#arrived !== null) this.#show([this.#arrived], true)
      return undefined
    }
    const verdict = store.take(requestId, lines)
    if (verdict instanceof Promise) return verdict.then((late) => this.#take(lines, late))
    return this.#take(lines, verdict)
  }

  /** What was estimated on the way in is corrected to this at the end; without it, to nothing. */
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
    // What is left is shown once the rest has been taken as well.
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

  #show(rated: readonly Rated[], isTaken: boolean) {
    const { response } = this.#deps
    if (!response.headersSent) setRateHeaders(response, rated, isTaken)
  }
}

const UNITS: Readonly<Record<Measure, string>> = {
  requests: 'requests per min (RPM)',
  tokens: 'tokens per min (TPM)',
  concurrent: 'requests at once',
}

/** Of the limit that has to be waited for longest; where waiting does not help it says so. */
function refusalOf({ lines, states }: Rated): Refusal {
  const [longest] = lines
    .flatMap((line, index) => {
      const state = states[index]
      return state === undefined ? [] : [{ ...line, ...state }]
    })
    .toSorted(
      (a, b) => Number(b.amount > b.most) - Number(a.amount > a.most) || b.waitMs - a.waitMs,
    )
  if (longest === undefined) throw new Error('refused although nothing is limited')
  const { scope, id, measure, most, used, amount, waitMs } = longest
  const who = { user: 'this account', token: 'this API key', group: `the group ${id}` }[scope]
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
