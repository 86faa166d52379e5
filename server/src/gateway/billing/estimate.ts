import type { AttemptRecord } from '@tollgate/contract'
import { affordableOutputTokens } from '../../domain/price.ts'
import type { RelayContext, RelayDeps } from '../context.ts'
import type { HealthTracker, ChannelModel } from '../routing/health.ts'
import type { PricedTarget } from './terms.ts'

/** An answer that its provider may bill although it was not read to its end. */
export type LostAnswer = {
  readonly target: PricedTarget
  readonly record: AttemptRecord
  /** From sending the request until the attempt was given up or broke off. */
  readonly workedMs: number
  /** The gateway hung up. A provider of a non-streamed answer may still finish it. */
  readonly isHungUp: boolean
  /** Nothing arrived before the deadline, so the provider may have hung. */
  readonly isSilent?: boolean
}

/** Estimated output tokens for a prompt of this many tokens. Limited to what the hold pays for. */
export type EstimateOutput = (promptTokens: number) => number

/**
 * Tokens per second of one choice, if too few answers of the model were measured. This is the upper
 * end of what the models of large providers write: an estimate below the provider's bill is the
 * operator's loss.
 */
const DEFAULT_TOKENS_PER_SECOND = 100
const MS = 1000

/** The tokens of one choice. */
export function estimateTokensWritten(
  health: Pick<HealthTracker, 'tokensPerSecondP95'>,
  channelModel: ChannelModel,
  milliseconds: number,
): number {
  const rate = health.tokensPerSecondP95(channelModel) ?? DEFAULT_TOKENS_PER_SECOND
  return Math.ceil((milliseconds / MS) * rate)
}

/**
 * Estimates the output of an answer that was not read to its end: the time the provider worked, at
 * the usual speed of the channel's model, limited by the output limit and the hold. A provider of a
 * non-streamed answer does not notice a disconnect before it writes, so at least the usual duration
 * counts. If nothing arrived before a deadline, at most the usual duration counts, because the
 * provider may have hung.
 */
export function estimateOutput(
  { health, limits }: Pick<RelayDeps, 'health' | 'limits'>,
  {
    parsedRequest,
    authorization,
    terms,
  }: Pick<RelayContext, 'parsedRequest' | 'authorization' | 'terms'>,
  { target, workedMs, isHungUp, isSilent = false }: Omit<LostAnswer, 'record'>,
): EstimateOutput {
  const { choices, stream } = parsedRequest
  const typicalMs = () => health.latencyP95Ms(target, 'whole') ?? limits.typicalAnswerMs
  const minMs = isHungUp && !stream ? Math.max(workedMs, typicalMs()) : workedMs
  const ms = isSilent ? Math.min(minMs, typicalMs()) : minMs
  const honorsLimit = target.channel.descriptor.ignoresOutputLimit !== true
  const limit =
    authorization.outputLimit(target) ?? (honorsLimit ? parsedRequest.outputLimit : null)
  const maxTokens = limit ?? target.outputTokensMax
  const tokens = choices * Math.min(estimateTokensWritten(health, target, ms), maxTokens)
  const { price } = target
  const { groupRatio } = terms
  return (promptTokens) => {
    const held = authorization.hold.amount
    return Math.min(
      tokens,
      affordableOutputTokens(held, { promptTokens, choices: 1, price, groupRatio }),
    )
  }
}
