import { mayUseHiddenReasoning, type RelayRequest } from '@tollgate/relay'
import type { Clock } from '../../clock.ts'
import type { RelayContext } from '../context.ts'
import type { HealthTracker } from '../routing/health.ts'
import type { PricedTarget } from './terms.ts'

/** Upper bound of what a provider has written, by the time it has worked. */
export type HiddenOutput = {
  readonly elapsedMs: () => number
  readonly tokens: () => number
  /** After how many milliseconds there may be this many tokens. */
  readonly msFor: (tokens: number) => number
  /** The output limit of the request, over all its choices. */
  readonly tokensMax: number
}

/**
 * Assumed speed of a choice until enough answers were measured. Above what the reasoning models of
 * large providers write: a lower bound would let reasoning outrun the hold.
 */
const DEFAULT_TOKENS_PER_SECOND = 300
/** Margin above the speed that 95 of 100 long answers did not exceed. */
const SPEED_MARGIN = 1.5
const MS = 1000

type HiddenContext = {
  readonly parsedRequest: RelayRequest
  readonly terms: Pick<RelayContext['terms'], 'options'>
  readonly authorization: Pick<RelayContext['authorization'], 'targets' | 'outputLimit'>
}

/** Whether a stream of this target may show less output than its provider bills. */
export function mayHideOutput(
  parsedRequest: RelayRequest,
  { modelNames, channel }: Pick<PricedTarget, 'modelNames' | 'channel'>,
): boolean {
  const { parameters, cardOf } = channel.overrides
  // The channel's parameters may change whether the model reasons.
  return mayUseHiddenReasoning(parameters === null ? parsedRequest : null, modelNames, cardOf)
}

/** Null if the client sees all output. `since`: when the request was sent, by a monotonic clock. */
export function hiddenOutputOf(
  { health, clock }: { health: Pick<HealthTracker, 'tokensPerSecondP95'>; clock: Clock },
  context: HiddenContext,
  since: number,
): HiddenOutput | null {
  const { parsedRequest, authorization } = context
  const { targets } = authorization
  if (parsedRequest.task !== undefined) return null
  if (!targets.some((target) => mayHideOutput(parsedRequest, target))) return null
  const { choices } = parsedRequest
  const speeds = targets.map((target) => {
    const measured = health.tokensPerSecondP95(target)
    return measured === null ? DEFAULT_TOKENS_PER_SECOND : measured * SPEED_MARGIN
  })
  const perMs = (choices * Math.max(...speeds)) / MS
  const elapsedMs = () => clock.monotonic() - since
  return {
    elapsedMs,
    tokens: () => Math.ceil(elapsedMs() * perMs),
    msFor: (tokens) => tokens / perMs,
    tokensMax: choices * Math.max(...targets.map((target) => outputMaxOf(context, target))),
  }
}

/** Infinity if no limit binds the provider. */
function outputMaxOf(
  { parsedRequest, authorization }: HiddenContext,
  target: PricedTarget,
): number {
  const { outputLimit, mayCompact = false } = parsedRequest
  if (mayCompact) return Infinity
  const honorsLimit = target.channel.descriptor.ignoresOutputLimit !== true
  const limit = authorization.outputLimit(target) ?? (honorsLimit ? outputLimit : null)
  return limit ?? target.outputTokensMax
}
