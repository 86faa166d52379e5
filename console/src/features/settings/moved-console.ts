import type { OptionKey } from '@tollgate/contract'
import type { Change, Drafts } from './drafts.ts'

export type Move = {
  address: string
  /** The option that decides where the console is after the change. */
  by: Extract<OptionKey, 'ConsoleAddress' | 'ServerAddress'>
}

/** Where a change moves the console to; null unless that is another host than the page is at. */
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
