import { isDeepStrictEqual } from 'node:util'
import { AppError, type ManagedKind, type OptionKey, OPTIONS } from '@tollgate/contract'
import type { PricedOptions } from '../domain/find-price.ts'
import { OWN_PRICE_TABLES } from '../domain/own-price.ts'
import { effectiveRatios, isPriceTable } from '../domain/price-tables.ts'
import type { Tx } from '../store/database.ts'
import { listLocked, type ManagedObject } from '../store/managed-objects.ts'
import { GROUP_TABLES } from './move-group.ts'
import { titlesOf } from './present-option.ts'

type Change = { key: OptionKey; before: PricedOptions; after: PricedOptions }

/**
 * Throws `managed_by_file` for an option, or for an entry of a table, that a locked configuration
 * file manages.
 */
export async function requireUnmanaged(tx: Tx, change: Change) {
  if (isEntryTable(change.key, GROUP_TABLES)) {
    return requireUnlocked(tx, 'group', changedEntries(change))
  }
  if (isEntryTable(change.key, OWN_PRICE_TABLES)) {
    return requireUnlocked(tx, 'price', changedEntries(change))
  }
  const { key, before, after } = change
  const isChanged = OPTIONS[key].secret === true || !isDeepStrictEqual(before[key], after[key])
  if (isChanged) await requireUnlocked(tx, 'option', [key])
}

export async function requireUnlocked(
  tx: Tx,
  kind: Exclude<ManagedKind, 'channel'>,
  names: readonly string[],
) {
  if (names.length === 0) return
  const { file, objects } = await listLocked(tx, kind)
  const found = objects.find(({ name }) => names.includes(name))
  if (found !== undefined) throw new AppError('managed_by_file', { what: titleOf(found), file })
}

export async function requireUnlockedChannels(tx: Tx, ids: readonly number[]) {
  const { file, objects } = await listLocked(tx, 'channel')
  const found = objects.find(({ channel_id }) => ids.includes(channel_id))
  if (found !== undefined) throw new AppError('managed_by_file', { what: titleOf(found), file })
}

const TITLES = {
  group: { en: 'The group', zh: '分组' },
  price: { en: 'The price of', zh: '模型价格' },
  channel: { en: 'The channel', zh: '渠道' },
} as const

const titleOf = ({ kind, name }: ManagedObject) =>
  kind === 'option'
    ? // Safe because the file's schema lets only options through.
      titlesOf([name as OptionKey])
    : { en: `${TITLES[kind].en} "${name}"`, zh: `${TITLES[kind].zh}“${name}”` }

const isEntryTable = (key: OptionKey, tables: readonly OptionKey[]) => tables.includes(key)

/** Entries with another value; the price list counts where a model has no price of its own. */
function changedEntries({ key, before, after }: Change): string[] {
  const entriesOf = (values: PricedOptions) =>
    isPriceTable(key)
      ? effectiveRatios(key, values[key], values.prices)
      : // Safe because the tables of groups and of prices by the call have this form.
        (values[key] as Readonly<Record<string, number>>)
  const [old, wanted] = [entriesOf(before), entriesOf(after)]
  return [...new Set([...Object.keys(old), ...Object.keys(wanted)])].filter(
    (name) => old[name] !== wanted[name],
  )
}
