import type { RunningAttempt } from '../attempts/running-attempt.ts'
import { countOptionsFor } from '../billing/counting.ts'
import { hiddenOutputOf } from '../billing/hidden-output.ts'
import { countOutput } from '../billing/meter.ts'
import { createStreamBudget, type StreamBudget } from '../billing/stream-budget.ts'
import type { RelayContext, RelayDeps } from '../context.ts'
import type { GatewayLimits } from '../limits.ts'
import {
  type Pumping,
  pumpStream,
  type StreamBudgetView,
  type StreamSource,
} from './stream-relay.ts'

/** What one channel delivered of the answer. */
export type StreamPart = StreamSource & { readonly attempt: RunningAttempt }

/** The streams that were read for one answer. They share a budget. */
export class StreamParts {
  readonly first: StreamPart
  readonly #context: RelayContext
  readonly #limits: GatewayLimits
  /** Null if the whole output was held before the request started. */
  readonly #budget: StreamBudget | null
  #parts: readonly StreamPart[] = []

  constructor(
    context: RelayContext,
    { limits, health, clock }: Pick<RelayDeps, 'limits' | 'health' | 'clock'>,
    first: StreamPart,
  ) {
    this.first = first
    this.#context = context
    this.#limits = limits
    const { target } = first.attempt
    const isWatched = context.authorization.headroomTokens !== null
    this.#budget = createStreamBudget(context, target, {
      hidden: isWatched ? hiddenOutputOf({ health, clock }, context, first.stream.startedAt) : null,
      countOutput: () => this.#countOutput(),
    })
  }

  /** The streams that took over from the one before. */
  get continuations(): readonly StreamPart[] {
    return this.#parts.filter(({ continuation }) => continuation?.tookOver === true)
  }

  /** Relays one of the streams until it ends, or has no content for `stallMs`. */
  pump(part: StreamPart, stallMs: number): Pumping {
    const budget = this.#budgetFor(part)
    return pumpStream(part, this.#context.client, { ...this.#limits, stallMs, budget })
  }

  /** The output of earlier channels counts too. */
  #budgetFor(part: StreamPart): StreamBudgetView | undefined {
    const others = this.#parts.filter(({ stream }) => stream !== part.stream)
    this.#parts = [...others, part]
    const budget = this.#budget
    if (budget === null) return undefined
    budget.usePrice(part.attempt.target.price)
    if (others.length === 0) return budget
    const delivered = others.filter(
      ({ continuation }) => continuation === null || continuation.tookOver,
    )
    const bytesBefore = delivered.reduce((sum, { stream }) => sum + stream.observer.outputBytes, 0)
    return {
      covers: (bytes) => budget.covers(bytesBefore + bytes),
      remainingBytes: (bytes) => budget.remainingBytes(bytesBefore + bytes),
      growsInMs: () => budget.growsInMs(),
    }
  }

  async #countOutput(): Promise<number> {
    const counting = countOptionsFor(this.#context.terms.options, this.#context.user)
    let tokens = 0
    for (const { stream, continuation, attempt } of this.#parts) {
      const output = (continuation ?? stream.observer).outputTextForCounting()
      tokens += await countOutput(output, { ...counting, model: attempt.target.upstreamModel })
    }
    return tokens
  }
}
