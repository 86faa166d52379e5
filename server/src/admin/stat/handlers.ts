import {
  AppError,
  type AllUsage,
  type ChannelStat,
  COST_ROWS_MAX,
  type CostDimension,
  type CostRow,
  type Exploration,
  offsetMinutes,
  type statEndpoints,
  type StatStep,
  type Usage,
  type UsageDimension,
  type UsageMetric,
} from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { listCosts } from '../../store/costs.ts'
import type { ExploreFilter } from '../../store/explore.ts'
import { hourSpan } from '../../store/hour-span.ts'
import { createTtlMemo } from '../../store/ttl-memo.ts'
import { findUser } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { exploreUsage } from './explore-usage.ts'
import { listChannelStats } from './list-channel-stats.ts'
import { readAllUsage, readUsage } from './read-usage.ts'

/** Responses may be large, and a caller requests few different spans. */
const CACHED_MAX = 100
/** A hundred channels by the hour are several megabytes. */
const CHANNELS_CACHED_MAX = 20

type Explored = Span & {
  compare_start_timestamp?: number | undefined
  metric: UsageMetric
  by: UsageDimension
  step: StatStep
} & ExploreFilter

type Span = { start_timestamp: number; end_timestamp: number; utc_offset?: number }

/**
 * Summing a month of all users is slow, so results are cached for some seconds. Frozen results are
 * also validated and serialized only once.
 */
export function statHandlers(deps: AdminDeps): Handlers<typeof statEndpoints> {
  const { database, settings } = deps
  const { kysely } = database
  const now = () => nowSeconds(deps)
  const offsetOf = ({ utc_offset, end_timestamp }: Span) =>
    utc_offset ?? offsetMinutes(settings.current().TimeZone, end_timestamp)
  const hoursOf = (span: Span) => hourSpan({ ...span, utc_offset: offsetOf(span) })
  const userUsage = createTtlMemo<Readonly<Usage>>({ keysMax: CACHED_MAX })
  const allUsage = createTtlMemo<Readonly<AllUsage>>({ keysMax: CACHED_MAX })
  const costs = createTtlMemo<CostRow[]>({ keysMax: CACHED_MAX })
  const channels = createTtlMemo<ChannelStat[]>({ keysMax: CHANNELS_CACHED_MAX })
  const explorations = createTtlMemo<Readonly<Exploration>>({ keysMax: CACHED_MAX })
  const explore = (readerId: number | null, query: Explored) => {
    const { metric, by, step, compare_start_timestamp: start } = query
    const { model, token, channel } = query
    const length = query.end_timestamp - query.start_timestamp
    const wanted = {
      metric,
      by,
      step,
      readerId,
      filter: { model, user: readerId ?? query.user, token, channel },
      hours: hoursOf(query),
      previousHours:
        start === undefined
          ? null
          : hoursOf({ ...query, start_timestamp: start, end_timestamp: start + length }),
      quotaPerUnit: settings.current().QuotaPerUnit,
    }
    const read = async () => Object.freeze(await exploreUsage(kysely, wanted))
    return explorations(JSON.stringify(wanted), read)
  }
  const usageOf = (userId: number, query: Span & { step: StatStep }) => {
    const scope = { hours: hoursOf(query), step: query.step, utcOffset: offsetOf(query) }
    const read = async () =>
      Object.freeze(await readUsage(kysely, { ...scope, now: now(), userId }))
    return userUsage(JSON.stringify([userId, scope]), read)
  }
  return {
    exploreUsage: async (_, { query }) => ({ data: await explore(null, query) }),
    exploreOwnUsage: async ({ caller }, { query }) => ({ data: await explore(caller.id, query) }),
    getOwnUsage: async ({ caller }, { query }) => ({ data: await usageOf(caller.id, query) }),
    getUserUsage: async (_, { params, query }) => {
      if (!(await findUser(kysely, params.id))) throw new AppError('user_not_found')
      return { data: await usageOf(params.id, query) }
    },
    getUsage: async (_, { query }) => {
      const scope = { hours: hoursOf(query), step: query.step, utcOffset: offsetOf(query) }
      const read = async () => Object.freeze(await readAllUsage(kysely, { ...scope, now: now() }))
      return { data: await allUsage(JSON.stringify(scope), read) }
    },
    listChannelStats: async (_, { query }) => {
      const scope = { hours: hoursOf(query), step: query.step, ids: query.ids }
      const read = async () => {
        const stats = await listChannelStats(kysely, scope)
        Object.freeze(stats)
        return stats
      }
      return { data: await channels(JSON.stringify(scope), read) }
    },
    listCosts: async (_, { query }) => {
      const scope = { hours: hoursOf(query), by: query.by, keys: query.keys }
      const listBy = (by: CostDimension) => listCosts(kysely, { ...scope, by }, COST_ROWS_MAX)
      const read = async () => (await Promise.all(scope.by.map(listBy))).flat()
      return { data: await costs(JSON.stringify(scope), read) }
    },
  }
}
