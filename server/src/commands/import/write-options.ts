import { isDeepStrictEqual } from 'node:util'
import {
  AppError,
  errorText,
  isOptionKey,
  type OptionKey,
  OPTIONS,
  parseOption,
  withRoundedRatios,
} from '@tollgate/contract'
import type { PriceRow } from '@tollgate/contract/prices'
import { readFeed } from '../../domain/price-feeds/read-feed.ts'
import { applyFeed } from '../../settings/price-feeds/feed-changes.ts'
import { contentText } from '../../settings/price-feeds/feed-content.ts'
import { findFeed, insertFeed, updateFeed } from '../../store/price-feeds.ts'
import { type ImportContext, nowSeconds } from './context.ts'
import { digestOf, KnownRows } from './known-rows.ts'
import { numbersIn, tableText } from './sources/gateway-options.ts'
import type { SourceSettings, SourceTiers } from './sources/source.ts'
import { writeInTurn } from './write-in-turn.ts'

/** Tables that get the entries of the source in addition to their own. */
const MERGED: ReadonlySet<OptionKey> = new Set([
  'GroupRatio',
  'GroupRequestsPerMinute',
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CacheWriteRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'ImageRatio',
  'ModelPrice',
])

/**
 * Writes options that have changed in the source since the last import. Switches come last, since
 * some can be on only while other options are set.
 */
export async function importOptions(
  context: ImportContext,
  { options, unknown, tiers }: SourceSettings,
) {
  const known = await KnownRows.read(context, 'option')
  const entries = [...options].flatMap(([key, value]) => (isOptionKey(key) ? [{ key, value }] : []))
  const isSwitch = ({ key }: { key: OptionKey }) => typeof OPTIONS[key].default === 'boolean'
  const ordered = [...entries.filter((entry) => !isSwitch(entry)), ...entries.filter(isSwitch)]
  for (const entry of ordered) await importOption(context, entry, known)
  for (const name of unknown) context.report.tell('Options without a counterpart', name)
  context.report.count('options', 'left out', unknown.length)
  await importTiers(context, tiers, known)
}

type Entry = { key: OptionKey; value: string }

async function importOption(context: ImportContext, { key, value }: Entry, known: KnownRows) {
  const { report, settings, root, isDryRun } = context
  const digest = digestOf(value)
  if (known.get(key)?.digest === digest) return report.count('options', 'same')
  const table = MERGED.has(key) ? mergedTable(context, key, value) : value
  const merged = withRoundedRatios(key, table)
  const parsed = parseOption(key, merged)
  const isSame = parsed.success && isDeepStrictEqual(parsed.data, settings.current()[key])
  if (!isSame) {
    try {
      if (!parsed.success) throw new Error(parsed.error.issues[0]?.message ?? 'it is not valid')
      if (!isDryRun) await settings.update({ key, value: merged }, root)
    } catch (error) {
      report.count('options', 'left out')
      return report.tell('Options left out', `${key}: ${reasonOf(error)}`)
    }
  }
  report.count('options', isSame ? 'same' : known.get(key) === undefined ? 'new' : 'changed')
  if (!isDryRun) await noteRow(context, { key, digest, new_id: 0 }, known)
}

const reasonOf = (error: unknown) => {
  if (error instanceof AppError) return errorText(error.code, error.params, 'en')
  return error instanceof Error ? error.message : String(error)
}

function mergedTable({ settings }: ImportContext, key: OptionKey, value: string): string {
  const own = numbersIn(JSON.stringify(settings.current()[key]))
  return tableText(new Map([...own, ...numbersIn(value)]))
}

async function noteRow(
  context: ImportContext,
  { key, digest, new_id }: { key: string; digest: string; new_id: number },
  known: KnownRows,
) {
  const rows = new Map([[key, { new_id, digest, quota: 0, used: 0, requests: 0 }]])
  await writeInTurn(context, 'transaction', (tx) => known.write(tx, context.database.kind, rows))
  known.note(rows)
}

const TIERS = 'prices by length of the prompt'
const EVERY_VENDOR = 'imported'
const STALE_DAYS_MAX = 365

/** Prices that depend on the length of the prompt become a price feed without an address. */
async function importTiers(context: ImportContext, tiers: SourceTiers, known: KnownRows) {
  const { report, isDryRun, name } = context
  if (tiers.size === 0) return
  const digest = digestOf([...tiers])
  const before = known.get(TIERS)
  if (before?.digest === digest) return report.count('options', 'same')
  report.count('options', before === undefined ? 'new' : 'changed')
  if (isDryRun) return
  const models = Object.fromEntries<PriceRow>(tiers)
  const content = readFeed('tollgate', { [EVERY_VENDOR]: { models } }, { group: '' })
  if (content === null) return report.tell('Prices left out', TIERS)
  for (const [model, problem] of content.problems)
    report.tell('Prices left out', `${model}: ${problem}`)
  const now = nowSeconds(context)
  const list = {
    content: contentText(content),
    models: content.prices.size,
    problems: content.problems.size,
    asked_at: now,
    read_at: now,
  }
  const id = await writeInTurn(context, 'change', async (tx) => {
    const feed = before === undefined ? undefined : await findFeed(tx, before.new_id)
    const feedId = feed?.id ?? (await insertFeed(tx, { ...newFeed(name, now), ...list }))
    if (feed !== undefined) await updateFeed(tx, feedId, list)
    const stored = await findFeed(tx, feedId)
    if (stored !== undefined)
      await applyFeed(tx, stored, { models: [...content.prices.keys()], now })
    return feedId
  })
  await noteRow(context, { key: TIERS, digest, new_id: id }, known)
}

const newFeed = (name: string, created_at: number) => ({
  name: `Import of ${name}`,
  kind: 'tollgate',
  url: '',
  key_group: '',
  every_hours: 0,
  auto_vendors: '',
  alert_percent: 20,
  stale_days: STALE_DAYS_MAX,
  created_at,
})
