import type { OptionValues, Quota } from '@tollgate/contract'
import { maxOutputTokens } from '@tollgate/relay'
import { affordableOutputTokens, type Price, worstCase } from '../../domain/price.ts'
import type { HoldAmount } from '../../ledger/ledger.ts'
import type { ChannelOverrides } from '../../upstream/channel-overrides.ts'

/** Output tokens that a request must be able to pay for, in addition to its reasoning budget. */
export const OUTPUT_TOKENS_MIN = 256
/** Every model in service accepts this output limit, whatever its max output tokens. */
const OUTPUT_LIMIT_ACCEPTED = 4096

export type WorkToHold = {
  promptTokens: number
  /** Per choice; null if the client set no limit. */
  outputLimit: number | null
  /**
   * The lowest limit per choice that may replace the client's if the balance is short; null if none
   * may.
   */
  minOutputLimit: number | null
  choices: number
  /** Tokens held ahead of a streamed output; null holds the whole output. */
  headroomTokens: number | null
}

/**
 * A channel's model: its price, and what it may write if no limit is set or if it ignores limits.
 */
export type Writer = { price: Price; outputTokensMax: number; ignoresLimit?: boolean }

export type HoldTerms = {
  writers: readonly Writer[]
  groupRatio: number
  /** Prompt tokens held in addition if the balance allows. No request is refused for them. */
  extraTokens: number
}

/** With `fullAmount` held, the output needs no limit below the client's. */
export type WorkAmount = HoldAmount & { fullAmount: Quota }

export type CalledModel = {
  readonly upstreamModel: string
  readonly modelNames: readonly string[]
  readonly channel: { readonly overrides: Pick<ChannelOverrides, 'cardOf'> }
}

/**
 * Max output tokens of a model if no limit is set. If the upstream name is unknown, the client's
 * name can only raise the default: another model may be sold under a known name.
 */
export function outputWithoutLimit(
  { upstreamModel, modelNames, channel }: CalledModel,
  { DefaultMaxTokens }: Pick<OptionValues, 'DefaultMaxTokens'>,
): number {
  const { cardOf } = channel.overrides
  const known = maxOutputTokens(upstreamModel, cardOf)
  if (known !== null) return known
  const limits = modelNames.map((name) => maxOutputTokens(name, cardOf) ?? 0)
  return Math.max(DefaultMaxTokens, ...limits)
}

/**
 * The worst case of the most expensive model. A limit set by the client is held in full;
 * `reducedAmount` pays for the lowest limit that may replace it.
 */
export function holdAmount(
  { promptTokens, outputLimit, minOutputLimit, choices, headroomTokens }: WorkToHold,
  { writers, groupRatio, extraTokens }: HoldTerms,
): WorkAmount & { reducedAmount: Quota } {
  const cannotBeBounded = writers.some(({ ignoresLimit }) => ignoresLimit === true)
  const reducedOutput =
    headroomTokens === null ? (cannotBeBounded ? null : minOutputLimit) : OUTPUT_TOKENS_MIN
  let [fullAmount, withExtra, reduced] = [0, 0, 0]
  for (const { price, outputTokensMax, ignoresLimit = false } of writers) {
    const limit = (ignoresLimit ? null : outputLimit) ?? outputTokensMax
    const outputTokens = Math.min(headroomTokens ?? Infinity, limit)
    const bounds = { promptTokens, outputTokens, choices, price, groupRatio }
    const tokens = promptTokens + extraTokens
    const full = worstCase(bounds)
    const extra = extraTokens === 0 ? full : worstCase({ ...bounds, promptTokens: tokens })
    const least =
      reducedOutput === null ? full : worstCase({ ...bounds, outputTokens: reducedOutput })
    fullAmount = Math.max(fullAmount, full)
    withExtra = Math.max(withExtra, extra)
    reduced = Math.max(reduced, least)
  }
  const reducedAmount = Math.min(fullAmount, reduced)
  const min = outputLimit !== null && headroomTokens === null ? fullAmount : reducedAmount
  return { min, reducedAmount, fullAmount, max: withExtra }
}

/**
 * The output limit per choice that the held amount pays for. `modelMax`: the model's max output
 * tokens, null if unknown.
 */
export function affordableOutput(
  { promptTokens, outputLimit, minOutputLimit, choices }: Omit<WorkToHold, 'headroomTokens'>,
  terms: { price: Price; groupRatio: number; held: Quota; modelMax: number | null },
): number {
  const { price, groupRatio, held, modelMax } = terms
  const affordable = affordableOutputTokens(held, { promptTokens, choices, price, groupRatio })
  const accepted = modelMax ?? outputLimit ?? OUTPUT_LIMIT_ACCEPTED
  return Math.max(minOutputLimit ?? 0, Math.min(affordable, accepted, outputLimit ?? Infinity))
}
