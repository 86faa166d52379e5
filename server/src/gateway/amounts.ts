import { QUOTA_MAX, type Quota } from '@tollgate/contract'
import { type Price, worstCase } from '../domain/price.ts'
import type { HoldAmount } from '../ledger/ledger.ts'

/** The output a request without a limit of its own must at least be able to pay for. */
const OUTPUT_TOKENS_LEAST = 256
/** No model in service refuses this as an output limit. */
const OUTPUT_TOKENS_LIMIT_MOST = 4096

export type Work = {
  promptTokens: number
  /** Per choice; null when the client named no limit. */
  outputLimit: number | null
  choices: number
}

/** What to reserve: the worst case at the dearest price. A client's own limit is held in full. */
export function holdAmount(
  work: Work,
  terms: { prices: readonly Price[]; groupRatio: number; defaultMaxTokens: number },
): HoldAmount {
  const { promptTokens, outputLimit, choices } = work
  const { prices, groupRatio, defaultMaxTokens } = terms
  const dearest = (outputTokens: number): Quota =>
    prices.reduce(
      (most, price) =>
        Math.max(most, worstCase({ promptTokens, outputTokens, choices, price, groupRatio })),
      0,
    )
  const most = Math.min(QUOTA_MAX, dearest(outputLimit ?? defaultMaxTokens))
  const least = outputLimit === null ? Math.min(most, dearest(OUTPUT_TOKENS_LEAST)) : most
  return { least, most }
}

/** The output limit, per choice, that what was held pays for at this price. */
export function outputBought(
  { promptTokens, choices }: Pick<Work, 'promptTokens' | 'choices'>,
  { price, groupRatio, held }: { price: Price; groupRatio: number; held: Quota },
): number {
  const pays = (outputTokens: number) =>
    worstCase({ promptTokens, outputTokens, choices, price, groupRatio }) <= held
  let bought = OUTPUT_TOKENS_LEAST
  let beyond = OUTPUT_TOKENS_LIMIT_MOST + 1
  while (bought + 1 < beyond) {
    const middle = Math.floor((bought + beyond) / 2)
    if (pays(middle)) bought = middle
    else beyond = middle
  }
  return bought
}
