import type { Logger } from 'pino'
import {
  AppError,
  firstProblem,
  type IdentityWay,
  type Language,
  type OptionKey,
  optionKeys,
  OPTIONS,
  optionText,
  type OptionValues,
  parseOption,
  withRoundedRatios,
} from '@tollgate/contract'
import type { PriceList } from '@tollgate/contract/prices'
import type { PricedOptions } from '../domain/find-price.ts'
import { isPriceTable, ownRatios } from '../domain/price-tables.ts'
import { readRanges } from '../network/ip-ranges.ts'
import type { Secrets } from '../secrets.ts'
import type { Database, Tx } from '../store/database.ts'
import { lockOptions, readOptions, type StoredOption, writeOption } from '../store/options.ts'
import { listPlannedPrices } from '../store/planned-prices.ts'
import { listFeedPrices } from '../store/price-feeds.ts'
import { openSnapshot } from '../store/snapshot.ts'
import { storableText } from '../store/storable-text.ts'
import {
  alertRoot,
  confirmChanges,
  isConfirmed,
  listUnconfirmed,
  withConfirmed,
} from './confirmation.ts'
import type { Editor } from './editor.ts'
import { versionsOf } from './identity-ways.ts'
import type { GroupMove } from './move-group.ts'
import { requireNeeds } from './option-needs.ts'
import { shownChange, shownText } from './present-option.ts'
import { createPricing, type PlannedPrice, readAppliedPrice, readPlannedPrice } from './pricing.ts'
import { confirmationText, note, record } from './record-change.ts'
import { requireReachable } from './require-reachable.ts'
import { requireUnmanaged } from './require-unmanaged.ts'
import { requireUnusedGroups } from './require-unused-groups.ts'
import { requireSameDestination } from './secret-destination.ts'
import { createTableChanges, type OptionTables, type OwnPriceChange } from './table-changes.ts'

export type Settings = {
  /**
   * The values in use. A change on another node is visible here within a second.
   * `ConsoleAddress` is the last confirmed value, because links must lead to the real console.
   * Replaced as a whole when an option or a price changes, also by a price's date or hour.
   */
  current: () => PricedOptions
  /**
   * Like `current`, but with the last confirmed values of options that await root, except secrets.
   */
  confirmed: () => OptionValues
  /** Every option that is not a secret, as text. Price tables include the price list. */
  list: () => readonly OptionEntry[]
  /** Own prices that begin later, the earliest first. */
  planned: () => readonly PlannedPrice[]
  /** The last change, among those that `current` includes, of the options that control this way. */
  versionOf: (way: IdentityWay) => number
  /**
   * Throws `invalid_field` for an invalid value and for an option that the environment sets, and
   * the errors of the checks against other options and of the editor's `check`. Then nothing is
   * stored.
   */
  update: (entry: OptionEntry, by: Editor) => Promise<void>
  /** The same writes in a transaction of the caller, who locks the options first. */
  within: (tx: Tx) => SettingsWithin
  /**
   * Moves the users and channels of a group to another one and removes its ratio and limits, which
   * a new group keeps. Throws `group_unknown`, `group_needed` or `group_moved_to_itself`.
   */
  moveGroup: (move: GroupMove, by: Editor) => Promise<{ users: number; channels: number }>
  /** Sets own prices of a model, or removes them for null. Takes planned prices along. */
  setOwnPrice: (change: OwnPriceChange, by: Editor) => Promise<void>
  /** Writes planned prices that have begun into the options. */
  writeBegunPrices: (by: Editor) => Promise<void>
  /**
   * For root. Confirms all changes, or none: throws `option_changed_again` if an option was changed
   * again.
   */
  confirm: (changeIds: readonly number[], by: Editor) => Promise<void>
}

export type SettingsWithin = {
  /** Secrets included. */
  readonly read: () => Promise<OptionValues>
  /** Like `Settings.update`. */
  readonly update: (entry: OptionEntry, by: Editor) => Promise<void>
  readonly writeTables: (tables: OptionTables, by: Editor) => Promise<void>
}

export type OptionEntry = { key: OptionKey; value: string }

export type SettingsDeps = {
  database: Database
  secrets: Pick<Secrets, 'sealOption' | 'openOption'>
  log: Logger
  /** Options set by the environment; they cannot be changed here. */
  pinned?: Partial<OptionValues>
  /** Addresses and CIDR ranges that are always allowed. */
  privateNetworks?: readonly string[]
  /** Epoch milliseconds. Prices may depend on the day and the hour. */
  now?: () => number
}

const UNCONFIRMED_WARNING =
  'an option that decides who gets into accounts was changed; root has to confirm that in the console'

export async function openSettings(deps: SettingsDeps): Promise<Settings> {
  const { database, log, pinned = {}, now = Date.now } = deps
  const valuesOf = createReader(deps)
  const read = async () => {
    const rows = await readOptions(database.kysely)
    const stored = valuesOf(rows)
    const confirmed = withConfirmed(stored, await listUnconfirmed(database.kysely))
    const values = { ...stored, ConsoleAddress: confirmed.ConsoleAddress }
    const applied = (await listFeedPrices(database.kysely)).map(readAppliedPrice)
    const planned = (await listPlannedPrices(database.kysely)).map(readPlannedPrice)
    return { stored, values, confirmed, versions: versionsOf(rows), applied, planned }
  }
  const { current } = await openSnapshot({ database, log, what: 'options', read })
  const priced = createPricing(current, now)
  const { writeTables, ...tableChanges } = createTableChanges({
    database,
    pinned,
    valuesOf,
    prices: () => priced().prices,
  })
  const write = createWrite(deps, { valuesOf, prices: () => priced().prices })
  return {
    current: priced,
    confirmed: () => current().confirmed,
    list: createList(priced, () => current().stored),
    planned: () => current().planned,
    versionOf: (way) => current().versions[way],
    update: async (entry, by) => {
      const isUnconfirmed = await database.change(async (tx) => {
        await lockOptions(tx)
        await by.check?.(tx)
        return write(tx, entry, by)
      })
      if (isUnconfirmed) log.warn({ option: entry.key, user: by.actor.id }, UNCONFIRMED_WARNING)
    },
    within: (tx) => ({
      read: async () => valuesOf(await readOptions(tx)),
      update: async (entry, by) => {
        await write(tx, entry, by)
      },
      writeTables: (tables, by) => writeTables(tx, () => tables, by),
    }),
    ...tableChanges,
    confirm: async (changeIds, by) => {
      await database.change(async (tx) => {
        await lockOptions(tx)
        await by.check?.(tx)
        const confirmed = await confirmChanges(tx, changeIds, by)
        for (const change of confirmed) await note(tx, confirmationText(change), by)
      })
    },
  }
}

type Reader = {
  readonly valuesOf: (rows: StoredOption[]) => OptionValues
  readonly prices: () => PriceList
}

/** Writes an option with all checks. True if the change awaits root. */
function createWrite(
  { secrets, pinned = {}, privateNetworks = [] }: SettingsDeps,
  { valuesOf, prices: priceList }: Reader,
) {
  const openRanges = readRanges(privateNetworks)
  return async (tx: Tx, { key, value }: OptionEntry, by: Editor): Promise<boolean> => {
    if (OPTIONS[key].secret && value === '') return false
    const prices = priceList()
    const parsed = parseEntry({ key, value }, prices, by.language)
    if (Object.hasOwn(pinned, key)) {
      requirePinned({ key, parsed }, pinned)
      return false
    }
    const before = { ...valuesOf(await readOptions(tx)), prices }
    const after = { ...before, [key]: parsed }
    if (by.isFile !== true) await requireUnmanaged(tx, { key, before, after })
    requireNeeds({ key, before, after }, by.language)
    requireReachable({ key, before, after }, openRanges)
    await requireUnusedGroups(tx, { key, before, after })
    await requireSameDestination(tx, { key, before, after }, by)
    const text = optionText(parsed)
    await writeOption(tx, { key, value: OPTIONS[key].secret ? secrets.sealOption(text) : text })
    const change = shownChange(key, before, after)
    if (change === null) return false
    const confirmed = await isConfirmed(tx, { key, before, after }, by.actor)
    await record(tx, { key, ...change, confirmed: confirmed ? 1 : 0 }, by)
    if (!confirmed) await alertRoot(tx, by.nowSeconds)
    return !confirmed
  }
}

/** A form may send back the unchanged value. */
function requirePinned(
  { key, parsed }: { key: OptionKey; parsed: unknown },
  pinned: Partial<OptionValues>,
) {
  if (parsed !== pinned[key]) throw new AppError('invalid_field', { field: key, problem: PINNED })
}

const PINNED = {
  en: 'an environment variable of the server sets it, and it cannot be changed here',
  zh: '已由服务器的环境变量设定，不能在此修改',
}

/** Writing the price tables as text takes a millisecond, so the text is kept until they change. */
function createList(priced: () => PricedOptions, stored: () => OptionValues) {
  let kept: { values: PricedOptions; entries: readonly OptionEntry[] } | undefined
  return () => {
    const values = priced()
    if (kept?.values !== values) {
      kept = { values, entries: entriesOf({ ...stored(), prices: values.prices }) }
    }
    return kept.entries
  }
}

const entriesOf = (values: PricedOptions) =>
  optionKeys
    .filter((key) => !OPTIONS[key].secret)
    .map((key) => ({ key, value: shownText(key, values) }))

/** Scripts send tables of other gateways, whose ratios have any number of decimals. */
function parseEntry({ key, value }: OptionEntry, prices: PriceList, language: Language): unknown {
  const text = withRoundedRatios(key, storableText(value, Infinity))
  const parsed = parseOption(key, text, language)
  if (parsed.success) {
    if (!isPriceTable(key)) return parsed.data
    // Safe because the option's schema made the value.
    return ownRatios(key, parsed.data as OptionValues[typeof key], prices)
  }
  // For a table, the problem also names the row.
  const { field, problem } = firstProblem(parsed.error, language)
  throw new AppError('invalid_field', {
    field: key,
    problem: field === '' ? problem : `${field}: ${problem}`,
  })
}

/**
 * An invalid stored value, or a secret that cannot be opened, falls back to its default and is
 * logged once.
 */
function createReader({
  secrets,
  log,
  pinned = {},
}: Pick<SettingsDeps, 'secrets' | 'log' | 'pinned'>) {
  const reported = new Map<OptionKey, string>()
  return (rows: StoredOption[]): OptionValues => {
    const texts = new Map(rows.map(({ key, value }) => [key, value]))
    const entries = optionKeys.map((key) => {
      if (Object.hasOwn(pinned, key)) return [key, pinned[key]]
      const stored = texts.get(key)
      if (stored === undefined) return [key, OPTIONS[key].default]
      const text = OPTIONS[key].secret ? opened(stored, secrets) : stored
      const parsed = text === null ? null : parseStored(key, text)
      if (parsed?.success) return [key, parsed.data]
      if (reported.get(key) !== stored) {
        reported.set(key, stored)
        log.warn({ option: key }, 'a stored option is invalid; its default is used')
      }
      return [key, OPTIONS[key].default]
    })
    return Object.fromEntries(entries) as OptionValues // safe because each key has a row above
  }
}

/** Earlier versions stored ratios with any number of decimals. */
function parseStored(key: OptionKey, text: string) {
  const parsed = parseOption(key, text)
  return parsed.success ? parsed : parseOption(key, withRoundedRatios(key, text))
}

function opened(sealed: string, { openOption }: SettingsDeps['secrets']): string | null {
  try {
    return openOption(sealed)
  } catch {
    return null
  }
}
