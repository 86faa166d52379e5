import {
  type Availability,
  AVAILABILITY_DAYS,
  AVAILABILITY_MODELS_MAX,
  CHANNEL_STATUS,
  offsetMinutes,
} from '@tollgate/contract'
import { vendors } from '@tollgate/contract/prices'
import { isServable } from '@tollgate/relay'
import { availabilityState, type Counts, successShare } from '../../domain/availability.ts'
import { RECENT_HOURS } from '../../domain/health-word.ts'
import { listModelDays, listServingChannels, type ModelDay } from '../../store/availability.ts'
import { type HourSpan, hourSpan } from '../../store/hour-span.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { GROUP_DEFAULT } from '../own-groups.ts'

const HOURS_PER_DAY = 24
const SECONDS_PER_HOUR = 3600

/** The days before the last hours hardly change, so they are read once per hour. */
export function createAvailability(deps: AdminDeps): () => Promise<Availability> {
  const { kysely } = deps.database
  let former: { key: string; days: Promise<ModelDay[]> } | null = null
  const readFormer = (hours: HourSpan): Promise<ModelDay[]> => {
    const key = JSON.stringify(hours)
    if (former?.key !== key) former = { key, days: listModelDays(kysely, hours) }
    const { days } = former
    days.catch(() => {
      former = null
    })
    return days
  }
  return async () => {
    const now = nowSeconds(deps)
    const zone = deps.settings.current().TimeZone
    const { endHour, offsetHours } = hourSpan({
      start_timestamp: now,
      end_timestamp: now + 1,
      utc_offset: offsetMinutes(zone, now),
    })
    const today = endHour - 1 - ((endHour - 1 + offsetHours) % HOURS_PER_DAY)
    const firstHour = today - (AVAILABILITY_DAYS - 1) * HOURS_PER_DAY
    const recentHour = endHour - RECENT_HOURS
    const days = await readFormer({ firstHour, endHour: recentHour, offsetHours })
    const recent = await listModelDays(kysely, { firstHour: recentHour, endHour, offsetHours })
    const channels = await listServingChannels(kysely, GROUP_DEFAULT)
    return present({ now, firstHour, days, recent, channels })
  }
}

type Found = {
  now: number
  firstHour: number
  days: readonly ModelDay[]
  recent: readonly ModelDay[]
  channels: Awaited<ReturnType<typeof listServingChannels>>
}

function present({ now, firstHour, days, recent, channels }: Found): Availability {
  const served = Map.groupBy(
    channels.filter(({ type }) => isServable(type)),
    ({ model }) => model,
  )
  const rows = Map.groupBy([...days, ...recent], ({ model }) => model)
  const recentRows = Map.groupBy(recent, ({ model }) => model)
  const models = [...served].map(([id, serving]) => {
    const all = rows.get(id) ?? []
    const total = sum(all)
    const state = availabilityState({
      hasChannel: serving.some(({ status }) => status === CHANNEL_STATUS.enabled),
      wasAsked: total.requests > 0,
      recent: sum(recentRows.get(id) ?? []),
    })
    const byDay = Map.groupBy(all, (row) => Math.floor((row.firstHour - firstHour) / HOURS_PER_DAY))
    return {
      requests: total.requests,
      id,
      vendor: vendors.get(id) ?? '',
      state,
      share: shown(successShare(total)),
      days: Array.from({ length: AVAILABILITY_DAYS }, (_, day) =>
        shown(successShare(sum(byDay.get(day) ?? []))),
      ),
    }
  })
  return {
    read_at: now,
    start: firstHour * SECONDS_PER_HOUR,
    models: models
      .toSorted((a, b) => b.requests - a.requests || compare(a.id, b.id))
      .slice(0, AVAILABILITY_MODELS_MAX)
      .toSorted((a, b) => compare(a.vendor, b.vendor) || compare(a.id, b.id))
      // The number of requests is the operator's secret.
      .map(({ requests: _, ...model }) => model),
  }
}

const sum = (rows: readonly Counts[]): Counts => ({
  requests: rows.reduce((total, { requests }) => total + requests, 0),
  failures: rows.reduce((total, { failures }) => total + failures, 0),
})

const SHARE_STEPS = 10_000

/** Rounded down, so that a share is 1 only without failures. */
const shown = (share: number | null) =>
  share === null ? null : Math.floor(share * SHARE_STEPS) / SHARE_STEPS

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))
