import { outputWithin } from '../../domain/price.ts'
import type { RelayContext, RelayDeps } from '../context.ts'
import type { HealthBook, Place } from '../routing/health.ts'
import { outputWithoutLimit } from './hold-amount.ts'
import type { PricedTarget } from './terms.ts'

/** An answer that its provider may bill and that nobody read to its end. */
export type UnreadAnswer = {
  readonly target: PricedTarget
  /** From when its request was sent to when it was given up, or broke off. */
  readonly workedMs: number
  /** We hung up: a provider that was asked for an answer in one piece may finish it all the same. */
  readonly isHungUp: boolean
  /** Nothing came before its time was over, so that it may as well have hung. */
  readonly isSilent?: boolean
}

/** The output tokens that nobody saw, for a prompt of this many tokens; at most what is held pays for. */
export type EstimateOutput = (promptTokens: number) => number

/**
 * Tokens a second of one answer where a model has not answered often enough to know better: the upper end of
 * what the large vendors' models write, as an estimate below the bill is the operator's loss.
 */
const USUAL_TOKENS_PER_SECOND = 100
const MS = 1000

/** The tokens of one answer that a model writes in so many milliseconds. */
export function tokensWritten(
  health: Pick<HealthBook, 'usualTokensPerSecond'>,
  place: Place,
  milliseconds: number,
): number {
  const rate = health.usualTokensPerSecond(place) ?? USUAL_TOKENS_PER_SECOND
  return Math.ceil((milliseconds / MS) * rate)
}

/**
 * What a provider has written for an answer that was not read to its end: the time it worked, at the usual rate
 * of the channel's model, within the limit on the output and within the hold. A provider asked for an answer in
 * one piece cannot notice that we hung up before it writes, so the usual time of such answers counts at least.
 * It counts at most where not a byte came before a deadline: a provider that hangs is silent for as long.
 */
export function estimateOutput(
  { health, limits }: Pick<RelayDeps, 'health' | 'limits'>,
  { asked, authorization, terms }: Pick<RelayContext, 'asked' | 'authorization' | 'terms'>,
  { target, workedMs, isHungUp, isSilent = false }: UnreadAnswer,
): EstimateOutput {
  const { choices, stream } = asked
  const usualMs = () => health.usualMs(target, 'whole') ?? limits.usualWholeMs
  const leastMs = isHungUp && !stream ? Math.max(workedMs, usualMs()) : workedMs
  const ms = isSilent ? Math.min(leastMs, usualMs()) : leastMs
  const isHeeded = target.channel.descriptor.ignoresOutputLimit !== true
  const limit = authorization.outputLimit(target) ?? (isHeeded ? asked.outputLimit : null)
  const most = limit ?? outputWithoutLimit(target, terms.options)
  const tokens = choices * Math.min(tokensWritten(health, target, ms), most)
  const { price } = target
  const { groupRatio } = terms
  return (promptTokens) => {
    const held = authorization.hold.amount
    return Math.min(tokens, outputWithin(held, { promptTokens, choices: 1, price, groupRatio }))
  }
}
