import { type AttemptRecord, type ChargeBasis, END_REASON } from '@tollgate/contract'
import type { Ledger, LedgerRequest } from '../../src/ledger/ledger.ts'

type Spending = {
  by: { id: number; username: string }
  tokenId: number
  cost: number
  /** Epoch seconds. */
  at?: number
  model?: string
  channel?: number
  elapsedMs?: number
  firstTokenMs?: number
  attempts?: readonly AttemptRecord[]
  /** In nano-dollars. */
  providerCost?: number | null
  /** What differs in the basis; it has to explain the cost. */
  basis?: Partial<ChargeBasis>
  /** Held for the request; its cost by default. */
  hold?: number
  /** What differs in the request. */
  request?: Partial<LedgerRequest>
  upstreamModel?: string
  /** Voids the hold instead of settling it. */
  fails?: boolean
}

let requests = 0

/** Runs a request through the ledger: one prompt token at a price of `cost`. */
export async function spend(ledger: Ledger, spending: Spending) {
  const { by, tokenId, cost, at = 0, model = 'gpt-4o', fails = false } = spending
  const { channel = 0, elapsedMs = 1, firstTokenMs = 1, attempts = [] } = spending
  const { providerCost = null, hold = cost, upstreamModel = model } = spending
  requests += 1
  const context = {
    requestId: `spent ${requests}`,
    userId: by.id,
    username: by.username,
    tokenId,
    tokenName: `token ${tokenId}`,
    model,
    isStream: false,
    openedAt: at,
    tokenLimited: false,
    budget: null,
    ...spending.request,
  }
  const outcome = await ledger.hold(context, { min: hold, max: hold })
  if (outcome.type !== 'held') throw new Error(outcome.type)
  const end = {
    content: '',
    upstreamModel,
    channel,
    elapsedMs,
    firstTokenMs,
    endReason: fails ? END_REASON.upstreamError : END_REASON.finished,
    attempts,
    providerCost,
  }
  if (fails) await outcome.hold.void(end)
  else
    await outcome.hold.settle({
      ...end,
      cost,
      basis: {
        price_model: model,
        price_version: '1',
        model_ratio: cost,
        completion_ratio: 1,
        cache_ratio: 1,
        cache_write_ratio: 1,
        group: 'default',
        group_ratio: 1,
        prompt_tokens: 1,
        cached_tokens: 0,
        cache_write_tokens: 0,
        completion_tokens: 0,
        reasoning_tokens: 0,
        usage_source: 'reported',
        held: hold,
        cost,
        ...spending.basis,
      },
    })
  await ledger.flush()
}
