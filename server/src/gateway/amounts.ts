import { QUOTA_MAX, type Quota } from '@tollgate/contract'
import { type Price, worstCase } from '../domain/price.ts'
import type { HoldAmount } from '../ledger/ledger.ts'

/** The output a request without a limit of its own must at least be able to pay for. */
const OUTPUT_TOKENS_LEAST = 256
/** No model in service refuses this as an output limit, whatever it can write at most. */
const OUTPUT_LIMIT_ACCEPTED = 4096

export type Work = {
  promptTokens: number
  /** Per choice; null when the client named no limit. */
  outputLimit: number | null
  choices: number
}

/** One channel's model: its price, and what it can write when nobody names a limit. */
export type Writer = { price: Price; outputTokensMost: number }

/** What to reserve: the worst case of the dearest model. A client's own limit is held in full. */
export function holdAmount(
  work: Work,
  { writers, groupRatio }: { writers: readonly Writer[]; groupRatio: number },
): HoldAmount {
  const { promptTokens, outputLimit, choices } = work
  const dearest = (outputOf: (writer: Writer) => number): Quota =>
    writers.reduce((most, writer) => {
      const outputTokens = outputOf(writer)
      const { price } = writer
      return Math.max(most, worstCase({ promptTokens, outputTokens, choices, price, groupRatio }))
    }, 0)
  const most = Math.min(
    QUOTA_MAX,
    dearest(({ outputTokensMost }) => outputLimit ?? outputTokensMost),
  )
  const least =
    outputLimit === null
      ? Math.min(
          most,
          dearest(() => OUTPUT_TOKENS_LEAST),
        )
      : most
  return { least, most }
}

/** The output limit, per choice, that what was held pays for at this price. */
export function outputBought(
  { promptTokens, choices }: Pick<Work, 'promptTokens' | 'choices'>,
  terms: { price: Price; groupRatio: number; held: Quota; most: number | null },
): number {
  const { price, groupRatio, held, most } = terms
  const pays = (outputTokens: number) =>
    worstCase({ promptTokens, outputTokens, choices, price, groupRatio }) <= held
  let bought = OUTPUT_TOKENS_LEAST
  let beyond = (most ?? OUTPUT_LIMIT_ACCEPTED) + 1
  while (bought + 1 < beyond) {
    const middle = Math.floor((bought + beyond) / 2)
    if (pays(middle)) bought = middle
    else beyond = middle
  }
  return bought
}
