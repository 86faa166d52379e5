import type { PricedOptions } from '../../domain/find-price.ts'
import type { Price } from '../../domain/price.ts'
import type { ProviderPrice } from '../../domain/provider-cost.ts'
import type { Hold } from '../../ledger/ledger.ts'
import type { Target } from '../routing/channel-registry.ts'

export type PricedTarget = Target & {
  readonly price: Price
  /** The provider's and the client's name of the model. Either may identify it. */
  readonly modelNames: readonly string[]
  /** What the channel's provider charges for the model; null if unknown. */
  readonly provider: ProviderPrice | null
  /** Output tokens if no limit is set, or if the provider ignores limits. */
  readonly outputTokensMax: number
  readonly ignoresLimit: boolean
}

export type Terms = {
  readonly group: string
  readonly groupRatio: number
  readonly targets: readonly PricedTarget[]
  /** A request settles under the prices and rules it started with. */
  readonly options: PricedOptions
}

export type Authorization = {
  readonly hold: Hold
  /** The targets that the hold can pay for. */
  readonly targets: readonly PricedTarget[]
  /** The output limit to send to this target; null keeps the client's own limit. */
  readonly outputLimit: (target: PricedTarget) => number | null
  /** Upper bound of the prompt tokens. */
  readonly promptTokens: number
  /** Tokens held ahead of a stream's output. Null if the whole output is held. */
  readonly headroomTokens: number | null
}
