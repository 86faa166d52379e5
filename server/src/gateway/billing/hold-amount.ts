import { type OptionValues, QUOTA_MAX, type Quota } from '@tollgate/contract'
import { maxOutputTokens } from '@tollgate/relay'
import { outputWithin, type Price, worstCase } from '../../domain/price.ts'
import type { HoldAmount } from '../../ledger/ledger.ts'

/** The output a request must at least be able to pay for, beside a budget for thoughts. */
export const OUTPUT_TOKENS_MIN = 256
/** No model in service refuses this as an output limit, whatever it can write at most. */
const OUTPUT_LIMIT_ACCEPTED = 4096

export type WorkToHold = {
  promptTokens: number
  /** Per choice; null when the client named no limit. */
  outputLimit: number | null
  /** How few tokens it may be limited to, per choice, where there is quota for no more; null for not at all. */
  lowest: number | null
  choices: number
  /** Of an output that is watched as it comes: what is held ahead of it. Null holds all of it. */
  headroomTokens: number | null
}

/** One channel's model: its price, and what it can write when nobody names a limit, or it heeds none. */
export type Writer = { price: Price; outputTokensMost: number; ignoresLimit?: boolean }

export type HoldTerms = {
  writers: readonly Writer[]
  groupRatio: number
  /** Prompt tokens to hold on top where there is quota for them; no request is refused for them. */
  extraTokens: number
}

/** With so much as `enough` held, the output needs no other limit than the client's. */
export type WorkAmount = HoldAmount & { enough: Quota }

/**
 * How many tokens a model may write where nobody names a limit. What the client calls one that no list knows can only say
 * that it is more: others are sold under names that are known.
 */
export function outputWithoutLimit(
  { upstreamModel, modelNames }: { upstreamModel: string; modelNames: readonly string[] },
  { DefaultMaxTokens }: Pick<OptionValues, 'DefaultMaxTokens'>,
): number {
  const known = maxOutputTokens(upstreamModel)
  if (known !== null) return known
  return Math.max(DefaultMaxTokens, ...modelNames.map((name) => maxOutputTokens(name) ?? 0))
}

/**
 * What to reserve: the worst case of the dearest model. A limit that the client named is held in full; `lowered` pays for
 * the lowest that may stand in its place.
 */
export function holdAmount(
  { promptTokens, outputLimit, lowest, choices, headroomTokens }: WorkToHold,
  { writers, groupRatio, extraTokens }: HoldTerms,
): WorkAmount & { lowered: Quota } {
  const dearest = (tokens: number, outputOf: (writer: Writer) => number): Quota =>
    writers.reduce((most, writer) => {
      const { price } = writer
      const outputTokens = outputOf(writer)
      const bounds = { promptTokens: tokens, outputTokens, choices, price, groupRatio }
      return Math.max(most, worstCase(bounds))
    }, 0)
  const outputMost = ({ outputTokensMost, ignoresLimit = false }: Writer) =>
    Math.min(headroomTokens ?? Infinity, (ignoresLimit ? null : outputLimit) ?? outputTokensMost)
  const enough = Math.min(QUOTA_MAX, dearest(promptTokens, outputMost))
  const cannotBeBounded = writers.some(({ ignoresLimit }) => ignoresLimit === true)
  const beginning = headroomTokens === null ? (cannotBeBounded ? null : lowest) : OUTPUT_TOKENS_MIN
  const lowered =
    beginning === null
      ? enough
      : Math.min(
          enough,
          dearest(promptTokens, () => beginning),
        )
  return {
    least: outputLimit !== null && headroomTokens === null ? enough : lowered,
    lowered,
    enough,
    most: Math.min(QUOTA_MAX, dearest(promptTokens + extraTokens, outputMost)),
  }
}

/**
 * The output limit, per choice, that what was held pays for at this price; `most` is what the model can write, null where
 * no list knows it.
 */
export function affordableOutput(
  { promptTokens, outputLimit, lowest, choices }: Omit<WorkToHold, 'headroomTokens'>,
  terms: { price: Price; groupRatio: number; held: Quota; most: number | null },
): number {
  const { price, groupRatio, held, most } = terms
  const bought = outputWithin(held, { promptTokens, choices, price, groupRatio })
  const accepted = most ?? outputLimit ?? OUTPUT_LIMIT_ACCEPTED
  return Math.max(lowest ?? 0, Math.min(bought, accepted, outputLimit ?? Infinity))
}
