import type { OptionKey } from '@tollgate/contract'
import type { Change, Drafts } from './drafts.ts'

export type Move = {
  address: string
  /** Option that determines the console's address after the change. */
  by: Extract<OptionKey, 'ConsoleAddress' | 'ServerAddress'>
}

/** New console address, or null unless its host differs from that of the current page. */
export function consoleMove(changes: readonly Change[], stored: Drafts, host: string): Move | null {
  const changed = Object.fromEntries(changes.map(({ key, value }) => [key, value]))
  const before = consoleAt(stored)
  const after = consoleAt({ ...stored, ...changed })
  if (after.address === '' || after.address === before.address) return null
  return URL.parse(after.address)?.host === host ? null : after
}

function consoleAt({ ConsoleAddress = '', ServerAddress = '' }: Drafts): Move {
  return ConsoleAddress === ''
    ? { address: ServerAddress, by: 'ServerAddress' }
    : { address: ConsoleAddress, by: 'ConsoleAddress' }
}
