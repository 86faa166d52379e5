import type { Language } from '@tollgate/contract'
import type { Tx } from '../store/database.ts'

/** The person who changes an option, and the time of the change. */
export type Editor = {
  actor: { id: number; username: string; role: number }
  language: Language
  nowSeconds: number
  /** Set for the configuration file, which may change what it manages. */
  isFile?: true
  /** Runs within the transaction and throws if the actor may no longer edit. */
  check?: (tx: Tx) => Promise<unknown>
}
