import type { Clock } from '../../clock.ts'
import type { Slots } from '../../slots.ts'
import type { Account } from '../account.ts'
import type { Leases } from '../leases/leases.ts'
import type { WaitingHolds } from '../leases/waiting-holds.ts'
import type { EndRecord } from '../record.ts'
import type { Epoch, EpochDeps } from './epoch.ts'
import type { OpenHold } from './hold-state.ts'

export type NodeDeps = EpochDeps & {
  /** Asks the other nodes to release their leases of an account. */
  revoke: (account: Account) => void
  /** Called with the end of each request. */
  onEnd?: ((record: EndRecord) => void) | undefined
  clock: Clock
}

/** What authorizer, hold closer and the sync loop of a node share. */
export type NodeState = {
  readonly open: Slots<OpenHold>
  readonly waiting: WaitingHolds
  /** The sync loop replaces epoch and leases together when the epoch is over. */
  epoch: Epoch
  leases: Leases
  /** Retired epochs of this process, until their last record is applied. */
  retired: readonly Epoch[]
}
