import {
  type AttemptRecord,
  type ChargeBasis,
  type EndReason,
  PROVIDER_COST_MAX,
  type Quota,
  type Seconds,
} from '@tollgate/contract'
import { storableText } from '../store/storable-text.ts'
import { assertQuota, type AccountAmount } from './account.ts'
import type { LedgerRequest, RequestEnd } from './ledger.ts'

const CONTENT_LENGTH_MAX = 2000
const REASON_LENGTH_MAX = 300
const NAME_LENGTH_MAX = 200
const ATTEMPTS_MAX = 50
/** One day; no request lasts that long. */
const DURATION_MS_MAX = 86_400_000

/** A charge has a basis; a void has none. */
export type EndInput = RequestEnd & ({ cost: Quota; basis: ChargeBasis } | { cost: 0; basis: null })

/** The one record that ends an authorized request. Its values fit both databases. */
export type EndRecord = Omit<RequestEnd, 'endReason'> & {
  kind: 'end'
  context: LedgerRequest
  at: Seconds
  outcome: 'settled' | 'void'
  cost: Quota
  basis: ChargeBasis | null
  /** An `EndReason`, possibly of another version. */
  endReason: string
  /** Amount held on the owner's account at the end. */
  held: Quota
  /**
   * The accounts that were held, the owner's first, and what the end takes from the lease on each.
   * A stored name: journals have it.
   */
  parts: readonly AccountAmount[]
}

/** The group that served the request; empty without one. */
export const groupOf = ({ group, basis }: Pick<EndRecord, 'group' | 'basis'>): string =>
  group ?? basis?.group ?? ''

/** A request was authorized. Has no amount: the hold exists only in the node's memory. */
export type OpenRecord = { kind: 'open'; context: LedgerRequest; at: Seconds }

/** The request continues in the epoch `run`, because its own epoch was closed while it ran. */
export type MovedRecord = { kind: 'moved'; requestId: string; run: string }

export type JournalRecord = OpenRecord | EndRecord | MovedRecord

/** Void of a request without a reported outcome. */
export const unanswered = (endReason: EndReason) =>
  ({
    cost: 0,
    basis: null,
    content: '',
    upstreamModel: '',
    channel: 0,
    elapsedMs: 0,
    firstTokenMs: 0,
    endReason,
    attempts: [],
  }) satisfies EndInput

export type HeldAmounts = { held: Quota; parts: readonly AccountAmount[] }

export function createRecord(
  context: LedgerRequest,
  ending: EndInput,
  { at, held, parts }: { at: Seconds } & HeldAmounts,
): EndRecord {
  assertQuota(ending.cost, 'a cost')
  if (ending.basis !== null) assertBasis(ending.basis, ending.cost)
  const { attempts } = ending
  const stored = attempts.length > ATTEMPTS_MAX ? attempts.slice(0, ATTEMPTS_MAX) : attempts
  const record: EndRecord = {
    kind: 'end',
    outcome: ending.basis === null ? 'void' : 'settled',
    cost: ending.cost,
    basis: ending.basis === null ? null : storableBasis(ending.basis),
    content: storableText(ending.content, CONTENT_LENGTH_MAX),
    upstreamModel: storableText(ending.upstreamModel, NAME_LENGTH_MAX),
    channel: ending.channel,
    elapsedMs: duration(ending.elapsedMs),
    firstTokenMs: duration(ending.firstTokenMs),
    endReason: ending.endReason,
    attempts: stored.map(storableAttemptRecord),
    providerCost: storableCost(ending.providerCost),
    held,
    parts,
    context,
    at,
  }
  if (ending.disconnectPolicy !== undefined) record.disconnectPolicy = ending.disconnectPolicy
  if (ending.group !== undefined) record.group = storableText(ending.group, NAME_LENGTH_MAX)
  return record
}

const storableAttemptRecord = (attempt: AttemptRecord): AttemptRecord => ({
  ...attempt,
  reason: storableText(attempt.reason, REASON_LENGTH_MAX),
  milliseconds: duration(attempt.milliseconds),
})

/** The basis itself if its texts can be stored, as nearly all can. */
function storableBasis(basis: ChargeBasis): ChargeBasis {
  const price_model = storableText(basis.price_model, NAME_LENGTH_MAX)
  const price_version = storableText(basis.price_version, NAME_LENGTH_MAX)
  const group = storableText(basis.group, NAME_LENGTH_MAX)
  const isStorable =
    price_model === basis.price_model &&
    price_version === basis.price_version &&
    group === basis.group
  return isStorable ? basis : { ...basis, price_model, price_version, group }
}

/** An impossible cost is unknown; it may not prevent a charge. */
const storableCost = (cost: number | null = null): number | null =>
  cost !== null && Number.isSafeInteger(cost) && cost >= 0 && cost <= PROVIDER_COST_MAX
    ? cost
    : null

/** Clocks yield fractions and may be set back; neither may prevent a charge. */
function duration(milliseconds: number): number {
  if (Number.isNaN(milliseconds)) return 0
  return Math.round(Math.min(DURATION_MS_MAX, Math.max(0, milliseconds)))
}

/** Throws if the cost differs from its basis or a count in the basis is not a valid amount. */
export function assertBasis(basis: ChargeBasis, cost: Quota) {
  if (basis.cost !== cost) throw new RangeError(`cost ${cost} is not that of its basis`)
  assertQuota(basis.prompt_tokens, 'prompt_tokens')
  assertQuota(basis.cached_tokens, 'cached_tokens')
  assertQuota(basis.cache_write_tokens, 'cache_write_tokens')
  assertQuota(basis.completion_tokens, 'completion_tokens')
  assertQuota(basis.reasoning_tokens, 'reasoning_tokens')
  for (const { kind, tokens } of basis.kinds ?? []) assertQuota(tokens, kind)
  for (const { tool, calls } of basis.tools ?? []) assertQuota(calls, tool)
  if (basis.measured !== undefined) assertQuota(basis.measured.count, basis.measured.unit)
}
