import {
  type ChannelSort,
  HEALTH_WORDS,
  type HealthWord,
  type KeywordQuery,
} from '@tollgate/contract'
import {
  type ChannelFilter,
  type ChannelSearch,
  listChannels,
  listServed,
  listTags,
  searchChannels,
} from '../../store/channels.ts'
import { listCosts } from '../../store/costs.ts'
import type { Page } from '../../store/page.ts'
import type { AdminDeps } from '../deps.ts'
import { type JudgedChannel, withHealth } from './health.ts'

type Filter = ChannelFilter & { readonly health: readonly HealthWord[] }
type ListQuery = Page &
  Filter & { readonly keyword: string; readonly sort?: ChannelSort | undefined }

/** Sorts by values that are no columns. */
type Computed = (deps: AdminDeps, rows: readonly JudgedChannel[]) => Promise<Ranking>

/** The greatest first in a descending order; channels without a value are last in any order. */
type Ranking = (row: JudgedChannel) => number | null

const MARGIN_HOURS = 30 * 24
const MS_PER_HOUR = 3_600_000
const NANO_PER_DOLLAR = 1e9
const COSTS_MAX = 10_000

const COMPUTED: Partial<Record<ChannelSort, Computed>> = {
  // Worst first in a descending order. Among equals, the channel with more failures is worse.
  health: async () => (row) => {
    const { word, faults } = row.health
    return HEALTH_WORDS.length - HEALTH_WORDS.indexOf(word) + 1 - 1 / (1 + faults)
  },
  success: async () => (row) => {
    const { attempts, faults } = row.health
    return attempts === 0 ? null : (attempts - faults) / attempts
  },
  models: async () => (row) => row.models.split(',').length,
  margin: marginRanking,
}

export async function listByHealth(
  deps: AdminDeps,
  { health, keyword, sort, ...query }: ListQuery,
): Promise<{ rows: JudgedChannel[]; total: number }> {
  const computed = sort && COMPUTED[sort]
  if (computed === undefined && health.length === 0 && keyword === '') {
    const { rows, total } = await listChannels(deps.database.kysely, { ...query, sort })
    return { rows: await withHealth(deps, rows), total }
  }
  const { p, size, order } = query
  const column = computed === undefined ? sort : undefined
  const all = { ...query, sort: column, keyword, size: undefined, health }
  const rows = await searchByHealth(deps, all)
  const shown = computed ? ordered(rows, await computed(deps, rows), order) : rows
  const start = p * size
  return { rows: shown.slice(start, start + size), total: rows.length }
}

export async function searchByHealth(
  deps: AdminDeps,
  { size, health, ...query }: Filter & ChannelSearch,
): Promise<JudgedChannel[]> {
  const isAny = health.length === 0
  const limit = isAny && size !== undefined ? { size } : {}
  const found = await searchChannels(deps.database.kysely, { ...query, ...limit })
  const judged = await withHealth(deps, found)
  return judged.filter((row) => isAny || health.includes(row.health.word)).slice(0, size)
}

export async function summarizeChannels(deps: AdminDeps, query: Filter & KeywordQuery) {
  const rows = await searchByHealth(deps, { ...query, size: undefined, health: [] })
  const counts = Map.groupBy(rows, (row) => row.health.word)
  const countOf = (word: HealthWord) => counts.get(word)?.length ?? 0
  return {
    // Safe because the list has every word.
    health: Object.fromEntries(HEALTH_WORDS.map((word) => [word, countOf(word)])) as Record<
      HealthWord,
      number
    >,
    groups: await listServed(deps.database.kysely, 'group'),
    models: await listServed(deps.database.kysely, 'model'),
    tags: await listTags(deps.database.kysely),
  }
}

function ordered(
  rows: readonly JudgedChannel[],
  rankOf: Ranking,
  order: 'asc' | 'desc',
): JudgedChannel[] {
  const sign = order === 'asc' ? 1 : -1
  const ranked = rows.map((row) => ({ row, rank: rankOf(row) }))
  ranked.sort((one, other) => {
    if (one.rank === null || other.rank === null) {
      return Number(one.rank === null) - Number(other.rank === null)
    }
    if (one.rank === other.rank) return sign * (one.row.id - other.row.id)
    return one.rank < other.rank ? -sign : sign
  })
  return ranked.map(({ row }) => row)
}

async function marginRanking({ database, settings, now }: AdminDeps): Promise<Ranking> {
  const endHour = Math.ceil(now() / MS_PER_HOUR)
  const hours = { firstHour: endHour - MARGIN_HOURS, endHour, offsetHours: 0 }
  const costs = await listCosts(database.kysely, { by: 'channel', keys: [], hours }, COSTS_MAX)
  const { QuotaPerUnit } = settings.current()
  const margins = new Map(
    costs.map(({ key, costed_quota, provider_cost }) => [
      Number(key),
      costed_quota / QuotaPerUnit - provider_cost / NANO_PER_DOLLAR,
    ]),
  )
  return ({ id }) => margins.get(id) ?? null
}
