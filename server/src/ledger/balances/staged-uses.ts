import type { Compilable } from 'kysely'
import type { Quota, Seconds } from '@tollgate/contract'
import type { Database } from '../../store/database.ts'
import { saturatingSum } from '../apply/saturate.ts'
import type { CreditKind } from '../ledger.ts'
import { addStagedSums, emptyStage, type ImportedUse, stageUses } from './imported-sums.ts'

export type UseSum = { used: Quota; requests: number; lastAt: Seconds }

/**
 * The use that a transaction books at its end. The database holds it until then, so that each
 * account and each sum is written once, however many pages of a log the transaction has read.
 */
export class StagedUses {
  readonly #kind: Database['kind']
  readonly #sums: Readonly<Record<CreditKind, Map<number, UseSum>>> = {
    user: new Map(),
    token: new Map(),
  }
  readonly #channels = new Map<number, Quota>()

  constructor(kind: Database['kind']) {
    this.#kind = kind
  }

  /** Queries that hand more use to the database. */
  add(uses: readonly ImportedUse[]): Compilable[] {
    if (uses.length === 0) return []
    const empty = this.#sums.user.size === 0 ? emptyStage(this.#kind) : []
    for (const use of uses) {
      const { channel, charged } = use
      this.#addTo('user', use.userId, use)
      this.#addTo('token', use.tokenId, use)
      this.#channels.set(channel, saturatingSum(this.#channels.get(channel) ?? 0, charged))
    }
    return [...empty, ...stageUses(this.#kind, uses)]
  }

  #addTo(of: CreditKind, id: number, { charged, requests, at }: ImportedUse) {
    const sum = this.#sums[of].get(id) ?? { used: 0, requests: 0, lastAt: 0 }
    this.#sums[of].set(id, sum)
    sum.used = saturatingSum(sum.used, charged)
    sum.requests = saturatingSum(sum.requests, requests)
    sum.lastAt = Math.max(sum.lastAt, at)
  }

  sumsOf = (of: CreditKind): ReadonlyMap<number, UseSum> => this.#sums[of]

  get ofChannels(): { channel: number; charged: Quota }[] {
    return [...this.#channels].map(([channel, charged]) => ({ channel, charged }))
  }

  /** Queries that add the use to the sums of days and hours. */
  addSums = (): Compilable[] => (this.#sums.user.size === 0 ? [] : addStagedSums(this.#kind))
}
