import type { OptionValues } from '@tollgate/contract'
import type { Price } from '../../domain/price.ts'
import type { Hold } from '../../ledger/ledger.ts'
import type { Target } from '../routing/channel-registry.ts'

export type PricedTarget = Target & {
  readonly price: Price
  /** What its channel calls its model, and what the client does: either may tell which one it is. */
  readonly modelNames: readonly string[]
}

export type Terms = {
  readonly group: string
  readonly groupRatio: number
  readonly targets: readonly PricedTarget[]
  /** The prices and rules a request ends under are those it began under. */
  readonly options: OptionValues
}

export type Authorization = {
  readonly hold: Hold
  /** Those that can be paid. */
  readonly targets: readonly PricedTarget[]
  /** What the upstream's output must be limited to at this target; null for the client's own limit. */
  readonly outputLimit: (target: PricedTarget) => number | null
  /** The most tokens the prompt may have. */
  readonly promptTokens: number
  /** What is held ahead of an output that is watched; null when all of it is held. */
  readonly headroomTokens: number | null
}
